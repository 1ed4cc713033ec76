! SPDX-License-Identifier: BSD-3-Clause
!
! Solves -div(beta grad u) = f in the box (0,2)x(0,1)x(0,1), with values of u on five walls and its
! normal derivative on the sixth, for a known u. Solves on two grids, and prints errors and the
! order that follows from them: what poisson.c prints.
!
!     mpifort "$(pkg-config --variable=fortran hpgmg)" poisson.f90 -o poisson \
!         $(pkg-config --libs hpgmg)
!     mpirun -n 2 ./poisson 4 cpu
!
! Arguments: order (2 or 4) and backend (auto, cpu or gpu). Exit status: 0 if the order is observed.

! u, and beta, f and walls that belong to it.
module problem
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    implicit none

    integer, parameter :: dp = c_double
    real(dp), parameter :: lengths(3) = [2.0_dp, 1.0_dp, 1.0_dp]
    real(dp), parameter :: wave(3) = [1.5_dp, 2.0_dp, 2.5_dp], shift(3) = [0.3_dp, 0.5_dp, 0.8_dp]

contains

    ! u is a product over the directions of sin(wave*x + shift).
    pure real(dp) function factor(d, x)
        integer, intent(in) :: d
        real(dp), intent(in) :: x

        factor = sin(wave(d)*x + shift(d))
    end function

    pure real(dp) function factor_slope(d, x)
        integer, intent(in) :: d
        real(dp), intent(in) :: x

        factor_slope = wave(d)*cos(wave(d)*x + shift(d))
    end function

    ! The means of one factor over n cells of side h, from cell lo on.
    pure function factor_means(d, lo, n, h) result(means)
        integer, intent(in) :: d
        integer(c_int), intent(in) :: lo, n
        real(dp), intent(in) :: h
        real(dp) :: means(n), low
        integer :: i

        do i = 1, n
            low = wave(d)*h*(lo + i - 1) + shift(d)
            means(i) = (cos(low) - cos(low + wave(d)*h))/(wave(d)*h)
        end do
    end function

    real(dp) function solution(x, y, z)
        real(dp), intent(in) :: x, y, z

        solution = factor(1, x)*factor(2, y)*factor(3, z)
    end function

    ! du/dz, which is du/dn on the high wall in k.
    real(dp) function slope_k(x, y, z)
        real(dp), intent(in) :: x, y, z

        slope_k = factor(1, x)*factor(2, y)*factor_slope(3, z)
    end function

    real(dp) function beta(x, y, z)
        real(dp), intent(in) :: x, y, z

        beta = 2 + sin(x + 2*y)*cos(z)
    end function

    ! f = -grad(beta).grad(u) - beta div(grad u)
    real(dp) function rhs(x, y, z)
        real(dp), intent(in) :: x, y, z
        real(dp) :: grad_beta(3), grad_u(3)

        grad_beta = [cos(x + 2*y)*cos(z), 2*cos(x + 2*y)*cos(z), -sin(x + 2*y)*sin(z)]
        grad_u = [factor_slope(1, x)*factor(2, y)*factor(3, z), &
            factor(1, x)*factor_slope(2, y)*factor(3, z), slope_k(x, y, z)]
        rhs = -dot_product(grad_beta, grad_u) + beta(x, y, z)*sum(wave**2)*solution(x, y, z)
    end function
end module

program poisson
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: output_unit
    use hpgmg
    use mpi
    use problem
    implicit none

    character(8) :: order = '2', backend = 'auto'
    real(dp) :: coarse, fine, observed
    integer :: wanted, rank, error

    if (command_argument_count() > 0) call get_command_argument(1, order)
    if (command_argument_count() > 1) call get_command_argument(2, backend)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    coarse = solve(16)
    fine = solve(32)
    observed = log(coarse/fine)/log(2.0_dp)
    if (rank == 0) print '(a,f0.2)', 'observed order ', observed
    flush(output_unit)
    call MPI_Finalize(error)
    read (order, *) wanted
    if (observed <= wanted - 0.3_dp) stop 1

contains

    ! The largest error on 2n x n x n cells.
    real(dp) function solve(n)
        integer, intent(in) :: n
        type(hpgmg_solver) :: solver
        type(hpgmg_result) :: result
        real(dp) :: own
        integer(c_int) :: wall, field

        call hpgmg_create(solver, [2*n, n, n], lengths, [character(40) :: 'order', order, &
            'backend', backend, 'rtol', '1e-11', &
            'boundary', 'dirichlet,dirichlet,dirichlet/neumann'], comm=MPI_COMM_WORLD)
        call hpgmg_set_function(solver, HPGMG_F, rhs)
        do field = HPGMG_BETA_I, HPGMG_BETA_K
            call hpgmg_set_function(solver, field, beta)
        end do
        do wall = 0, 4 ! u, on all walls but the high one in k
            call hpgmg_set_wall_function(solver, wall/2, mod(wall, 2), solution)
        end do
        call hpgmg_set_wall_function(solver, 2, 1, slope_k)
        call hpgmg_solve(solver, HPGMG_FROM_ZERO, result)
        own = own_error(solver)
        call hpgmg_destroy(solver)
        call MPI_Allreduce(own, solve, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
        if (rank == 0) print '(i3,2("x",i0),a,es9.3,a,es7.1,a,i0,a)', 2*n, n, n, ': error ', &
            solve, ', relative residual ', result%residual, ' after ', result%cycles, ' cycles'
    end function

    ! The largest error in this rank's boxes, by means over cells.
    real(dp) function own_error(solver)
        type(hpgmg_solver), intent(in) :: solver
        type(hpgmg_box), allocatable :: boxes(:)
        type(hpgmg_block), allocatable :: blocks(:)
        real(dp) :: h(3)
        integer :: b

        call hpgmg_boxes(solver, boxes)
        call hpgmg_cell_sizes(solver, h)
        allocate(blocks(size(boxes)))
        do b = 1, size(boxes)
            blocks(b)%lo = boxes(b)%lo
            allocate(blocks(b)%values(boxes(b)%n(1), boxes(b)%n(2), boxes(b)%n(3)))
        end do
        call hpgmg_get(solver, HPGMG_U, blocks)
        own_error = 0
        do b = 1, size(boxes)
            own_error = max(own_error, box_error(boxes(b), blocks(b)%values, h))
            deallocate(blocks(b)%values)
        end do
    end function

    real(dp) function box_error(box, u, h)
        type(hpgmg_box), intent(in) :: box
        real(dp), intent(in) :: u(:, :, :), h(3)
        real(dp) :: x(box%n(1)), y(box%n(2)), z(box%n(3))
        integer :: j, k

        x = factor_means(1, box%lo(1), box%n(1), h(1))
        y = factor_means(2, box%lo(2), box%n(2), h(2))
        z = factor_means(3, box%lo(3), box%n(3), h(3))
        box_error = 0
        do k = 1, box%n(3)
            do j = 1, box%n(2)
                box_error = max(box_error, maxval(abs(u(:, j, k) - x*y(j)*z(k))))
            end do
        end do
    end function
end program
