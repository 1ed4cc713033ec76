#include <stdio.h>
#include <string.h>
#include "hpgmg.h"
static double one(double x,double y,double z,void*d){(void)x,(void)y,(void)z,(void)d;return 1.0;}
int main(int argc,char**argv){
  MPI_Init(&argc,&argv);
  struct hpgmg*h; int cells[3]={32,32,32}; double L[3]={1,1,1};
  enum hpgmg_status s=hpgmg_create(&h,MPI_COMM_WORLD,cells,L,(const char*[]){"backend","cpu","order","2",NULL});
  printf("create %d %s\n",s,hpgmg_message());
  if(s)return 1;
  for(int f=1;f<6;f++) if(f!=2){ s=hpgmg_set_function(h,f,one,NULL); printf("set %d %d %s\n",f,s,hpgmg_message());}
  struct hpgmg_result r;
  s=hpgmg_solve(h,HPGMG_FROM_ZERO,&r); printf("solve %d %s cycles %d res %g\n",s,hpgmg_message(),r.cycles,r.residual);
  s=hpgmg_solve(h,HPGMG_FROM_GUESS,&r); printf("solve %d %s cycles %d res %g\n",s,hpgmg_message(),r.cycles,r.residual);
  s=hpgmg_destroy(&h); printf("destroy %d %s\n",s,hpgmg_message());
  MPI_Finalize();
}
