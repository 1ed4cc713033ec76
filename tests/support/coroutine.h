/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Coroutines that take turns with one scheduler. They switch by setjmp, since swapcontext makes a
 * system call each time. C++; compile without _FORTIFY_SOURCE, whose longjmp refuses to leave for
 * another stack. */
#include <csetjmp>
#include <malloc.h>
#include <memory>
#include <ucontext.h>

class coroutine
{
  public:
    /* Will run `function`, which must not return but yield for good, on a stack of its own. */
    void prepare(void (*function)(), size_t stack_bytes)
    {
        stack.reset(new char[stack_bytes]); /* most of it is never touched */
        begun = false;
        getcontext(&beginning);
        beginning.uc_stack.ss_sp = stack.get();
        beginning.uc_stack.ss_size = stack_bytes;
        beginning.uc_link = nullptr;
        makecontext(&beginning, function, 0);
    }

    /* For the scheduler: goes on with the coroutine, and returns when it yields. */
    [[gnu::noinline]] void go_on()
    {
        if (_setjmp(scheduler) != 0)
            return;
        if (begun)
            _longjmp(place, 1);
        begun = true;
        setcontext(&beginning);
    }

    /* For the coroutine: returns when the scheduler goes on with it. */
    [[gnu::noinline]] void yield()
    {
        if (_setjmp(place) == 0)
            _longjmp(scheduler, 1);
    }

  private:
    static inline jmp_buf scheduler;
    /* Stacks that are freed stay with the process: else the system would clear the same pages anew
     * for each block of a kernel, which takes longer than to run it. */
    static inline const bool keeps_memory =
        mallopt(M_MMAP_THRESHOLD, 1 << 24) && mallopt(M_TRIM_THRESHOLD, 1 << 30);
    ucontext_t beginning;
    jmp_buf place;
    bool begun = false;
    std::unique_ptr<char[]> stack;
};
