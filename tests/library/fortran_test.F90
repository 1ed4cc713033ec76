! SPDX-License-Identifier: BSD-3-Clause
!
! The module hpgmg on one or several ranks: arrays of any layout arrive and come back, arguments and
! shapes that are wrong give a status and a message on all ranks, results are those of the library.
! Compiled with -DHPGMG_MPI=0 it needs no MPI.
module checks
    use, intrinsic :: iso_c_binding, only: dp => c_double
    use hpgmg
    implicit none
    integer :: failures = 0

contains

    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what

        if (holds) return
        failures = failures + 1
        print '(4a)', 'not so: ', what, '; last message: ', hpgmg_message()
    end subroutine

    subroutine refused(status, wanted, text)
        integer, intent(in) :: status, wanted
        character(*), intent(in) :: text

        call expect(status == wanted .and. index(hpgmg_message(), text) > 0, text)
    end subroutine

    pure elemental function same(a, b)
        real(dp), intent(in) :: a, b
        logical :: same

        same = abs(a - b) <= 0
    end function

    ! An internal procedure sees its host's variables.
    subroutine set_scaled(solver, factor)
        type(hpgmg_solver), intent(in) :: solver
        real(dp), intent(in) :: factor

        call hpgmg_set_function(solver, HPGMG_F, scaled)

    contains

        function scaled(x, y, z) result(value)
            real(dp), intent(in) :: x, y, z
            real(dp) :: value

            value = factor*(x + 10*y + 25*z)
        end function
    end subroutine
end module

program fortran_test
#if HPGMG_MPI
    use mpi_f08
#endif
    use hpgmg
    use checks
    implicit none
    integer, parameter :: n = 8
    real(dp), parameter :: none = -1
    integer :: rank = 0, ranks = 1, cells(3), lo(3)
    real(dp) :: lengths(3)

#if HPGMG_MPI
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call communicators()
#endif
    ! Each rank holds a slab of n planes.
    cells = [n, 2*n, n*ranks]
    lengths = real(cells, dp)/n
    lo = [0, 0, n*rank]
    call options_and_order()
    call layouts()
    call faces()
    call blocks()
    call functions()
    call walls()
    call results()
    call warnings()
#if HPGMG_MPI
    call MPI_Finalize()
#endif
    if (failures > 0) stop 1

contains

    subroutine make(solver, options)
        type(hpgmg_solver), intent(out) :: solver
        character(*), intent(in) :: options(:)

        call hpgmg_create(solver, cells, lengths, [character(20) :: 'backend', 'cpu', options])
    end subroutine

    ! A number for each cell of a slab, or face of one.
    function numbers(first, extent) result(values)
        integer, intent(in) :: first(3), extent(3)
        real(dp) :: values(extent(1), extent(2), extent(3))
        integer :: i, j, k

        do k = 1, extent(3)
            do j = 1, extent(2)
                do i = 1, extent(1)
                    values(i, j, k) = 1 + first(1) + i + 100*(first(2) + j) + 10000*(first(3) + k)
                end do
            end do
        end do
    end function

#if HPGMG_MPI
    subroutine communicators()
        type(hpgmg_solver) :: solver
        type(hpgmg_box), allocatable :: boxes(:)
        type(MPI_Comm) :: own
        character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
        integer :: status, length, b

        call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, own)
        call hpgmg_create(solver, [8, 8, 8]*(1 + rank), [1.0_dp, 1.0_dp, 1.0_dp], comm=own%mpi_val)
        call hpgmg_boxes(solver, boxes)
        call expect(sum([(product(boxes(b)%n), b=1, size(boxes))]) == (8*(1 + rank))**3, &
            'one rank each')
        call hpgmg_destroy(solver)
        call MPI_Comm_free(own)
        call hpgmg_create(solver, [8, 8, 8], [1.0_dp, 1.0_dp, 1.0_dp], comm=MPI_COMM_NULL%mpi_val, &
            status=status)
        call refused(status, HPGMG_ARGUMENT, 'the communicator is null')
        call MPI_Get_library_version(version, length)
        if (index(version, 'Open MPI') == 0) return ! others end the job
        call hpgmg_create(solver, [8, 8, 8], [1.0_dp, 1.0_dp, 1.0_dp], comm=99999, status=status)
        call refused(status, HPGMG_ARGUMENT, 'the communicator is null')
    end subroutine
#endif

    subroutine options_and_order()
        type(hpgmg_solver) :: solver, nothing, copy
        real(dp) :: h(3)
        integer :: status
        type(hpgmg_box), allocatable :: boxes(:)

        call hpgmg_create(solver, [15, 16, 16], [1.0_dp, 1.0_dp, 1.0_dp], status=status)
        call refused(status, HPGMG_ARGUMENT, 'multiple of 4')
        call hpgmg_create(solver, cells, lengths, [character(9) :: 'order', '3'], status=status)
        call refused(status, HPGMG_ARGUMENT, "order: wrong value '3'")
        call hpgmg_create(solver, cells, lengths, ['order'], status=status)
        call refused(status, HPGMG_ARGUMENT, 'order')
        call hpgmg_solve(nothing, HPGMG_FROM_ZERO, status=status)
        call refused(status, HPGMG_ARGUMENT, 'the solver is NULL')
        call hpgmg_boxes(nothing, boxes, status)
        call refused(status, HPGMG_ARGUMENT, 'the solver is NULL')
        call expect(size(boxes) == 0, 'no boxes')
        call hpgmg_destroy(nothing, status)
        call expect(status == HPGMG_OK, 'nothing to destroy')
        call make(solver, ['coefficients', 'constant    '])
        call hpgmg_cell_sizes(solver, h)
        call expect(same(h(3), 1.0_dp/n), 'sides of a cell')
        call hpgmg_solve(solver, HPGMG_FROM_ZERO, status=status)
        call refused(status, HPGMG_ORDER, 'f must be set before a solve')
        copy = solver
        call hpgmg_destroy(solver)
        call widths_are_passed()
        call hpgmg_cell_sizes(copy, h, status)
        call refused(status, HPGMG_ARGUMENT, 'was destroyed')
    end subroutine

    ! Sides of equal cells are the harmonic means of widths.
    subroutine widths_are_passed()
        type(hpgmg_solver) :: stretched
        real(dp) :: x(8), y(12), z(16), h(3)

        x = 0.25_dp
        y(1:4) = 1.0_dp
        y(5:12) = 0.25_dp
        z = 2.0_dp
        call hpgmg_create_stretched(stretched, x, y, z, [character(7) :: 'backend', 'cpu'])
        call hpgmg_cell_sizes(stretched, h)
        call expect(same(h(1), 0.25_dp) .and. same(h(2), 1.0_dp/3.0_dp) .and. same(h(3), 2.0_dp), 'means of widths')
        call hpgmg_destroy(stretched)
    end subroutine

    ! Arrays with ghost cells, reversed and strided ones, of one plane, of wrong shapes.
    subroutine layouts()
        type(hpgmg_solver) :: solver
        real(dp) :: ghosted(-1:n + 2, 0:2*n + 1, 0:n + 1), back(n, 2*n, n), plane(n, 2*n, 1)
        real(dp) :: spread_out(2*n, 2*n, 2*n)
        integer :: status

        call make(solver, ['coefficients', 'constant    '])
        ghosted = none
        ghosted(1:n, 1:2*n, 1:n) = numbers(lo, [n, 2*n, n])
        call hpgmg_set(solver, HPGMG_F, ghosted(1:n, 1:2*n, 1:n), lo)
        call hpgmg_get(solver, HPGMG_F, back, lo)
        call expect(all(same(back, numbers(lo, [n, 2*n, n]))), 'a section arrives')
        call hpgmg_get(solver, HPGMG_F, back(n:1:-1, :, n:1:-1), lo)
        call expect(all(same(back(n:1:-1, :, n:1:-1), numbers(lo, [n, 2*n, n]))), 'reversed')
        spread_out = none
        call hpgmg_get(solver, HPGMG_F, spread_out(2::2, :, 1::2), lo)
        call expect(all(same(spread_out(2::2, :, 1::2), numbers(lo, [n, 2*n, n]))), 'strided')
        call expect(all(same(spread_out(1::2, :, :), none)), 'nothing between')
        call hpgmg_get(solver, HPGMG_F, plane)
        call expect(all(same(plane, numbers([0, 0, 0], [n, 2*n, 1]))), 'a plane on all ranks')
        call hpgmg_set(solver, HPGMG_F, ghosted(1:n + 1, 1:2*n, 1:n), lo, status)
        call refused(status, HPGMG_ARGUMENT, '9 cells from cell 0 on in direction 0')
        call hpgmg_set(solver, HPGMG_F, ghosted(1:n - 1, 1:2*n, 1:n), lo, status)
        call expect(status == HPGMG_ARGUMENT, 'cells without values')
        ! One rank alone is wrong.
        call hpgmg_set(solver, HPGMG_F, ghosted(1:merge(0, n, rank == 0), 1:2*n, 1:n), lo, status)
        call refused(status, HPGMG_ARGUMENT, '0 cells from cell 0 on in direction 0')
        call hpgmg_set(solver, 6, back, lo, status)
        call refused(status, HPGMG_ARGUMENT, 'no field 6')
        call hpgmg_destroy(solver)
    end subroutine

    ! beta has one value more in its own direction.
    subroutine faces()
        type(hpgmg_solver) :: solver
        real(dp), allocatable :: beta(:, :, :)
        integer :: d, extent(3), status
        logical :: is_last

        call make(solver, ['order', '2    '])
        is_last = rank == ranks - 1
        do d = 1, 3
            extent = [n, 2*n, n]
            extent(d) = extent(d) + 1
            beta = numbers(lo, extent)
            call hpgmg_set(solver, HPGMG_BETA_I + d - 1, beta, lo)
            beta = none
            call hpgmg_get(solver, HPGMG_BETA_I + d - 1, beta, lo)
            if (d == 3 .and. .not. is_last) then
                call expect(all(same(beta(:, :, n + 1), none)), 'a face of the next slab')
                extent(d) = n
            end if
            call expect(all(same(beta(:extent(1), :extent(2), :extent(3)), numbers(lo, extent))), &
                'faces')
            call hpgmg_set(solver, HPGMG_BETA_I + d - 1, beta(1:n, 1:2*n, 1:n), lo, status)
            call expect(status == HPGMG_ARGUMENT, 'a face is missing')
        end do
        call hpgmg_destroy(solver)
    end subroutine

    ! Rank 0 has all of f, in two blocks.
    subroutine blocks()
        type(hpgmg_solver) :: solver
        type(hpgmg_block) :: halves(2)
        real(dp), target :: f(cells(1), cells(2), cells(3))
        real(dp) :: back(n, 2*n, n)
        integer :: count, status

        call make(solver, ['coefficients', 'constant    '])
        f = numbers([0, 0, 0], cells)
        halves(1)%values => f(:, :n, :)
        halves(2)%values => f(:, n + 1:, :)
        halves(2)%lo = [0, n, 0]
        count = merge(2, 0, rank == 0)
        call hpgmg_set(solver, HPGMG_F, halves(:count))
        call hpgmg_get(solver, HPGMG_F, back, lo)
        call expect(all(same(back, numbers(lo, [n, 2*n, n]))), 'blocks of one rank')
        f = none
        call hpgmg_get(solver, HPGMG_F, halves)
        call expect(all(same(f, numbers([0, 0, 0], cells))), 'all of f on all ranks')
        nullify (halves(2)%values)
        call hpgmg_set(solver, HPGMG_F, halves(:count), status)
        call refused(status, HPGMG_ARGUMENT, 'block 1: data is NULL')
        call hpgmg_destroy(solver)
    end subroutine

    subroutine functions()
        type(hpgmg_solver) :: solver
        real(dp) :: back(n, 2*n, n)
        real(dp), parameter :: factor = 3
        integer :: k

        call make(solver, ['coefficients', 'constant    '])
        call set_scaled(solver, factor)
        call hpgmg_get(solver, HPGMG_F, back, lo)
        do k = 1, n
            call expect(abs(back(2, 1, k) - factor*(1.5_dp + 5 + 25*(lo(3) + k - 0.5_dp))/n) < &
                1e-12_dp, 'a function of x, y, z')
        end do
        call hpgmg_destroy(solver)
    end subroutine

    ! Values from arrays are those of a function, in every direction.
    subroutine walls()
        type(hpgmg_solver) :: solver
        real(dp), allocatable :: by_function(:, :, :), by_array(:, :, :)
        integer :: d, side

        allocate(by_function(n, 2*n, n), by_array(n, 2*n, n))
        by_function = 1
        call make(solver, ['coefficients', 'constant    '])
        call hpgmg_set(solver, HPGMG_F, by_function, lo)
        do d = 0, 2
            do side = 0, 1
                call hpgmg_set_wall_function(solver, d, side, slope)
                call hpgmg_solve(solver, HPGMG_FROM_ZERO)
                call hpgmg_get(solver, HPGMG_U, by_function, lo)
                call hpgmg_set_wall_function(solver, d, side, zero)
                call set_wall_arrays(solver, d, side)
                call hpgmg_solve(solver, HPGMG_FROM_ZERO)
                call hpgmg_get(solver, HPGMG_U, by_array, lo)
                call expect(all(same(by_array, by_function)), 'a wall from arrays')
            end do
        end do
        call hpgmg_destroy(solver)
    end subroutine

    ! Sets values of slope(), after arrays of a wrong shape were refused.
    subroutine set_wall_arrays(solver, d, side)
        type(hpgmg_solver), intent(in) :: solver
        integer, intent(in) :: d, side
        type(hpgmg_box), allocatable :: boxes(:)
        type(hpgmg_wall_values), allocatable :: values(:), wrong(:)
        integer :: b, status

        call hpgmg_boxes(solver, boxes)
        allocate(values(size(boxes)), wrong(size(boxes)))
        do b = 1, size(boxes)
            if (boxes(b)%lo(d + 1) + side*boxes(b)%n(d + 1) /= side*cells(d + 1)) cycle
            values(b)%values = face_values(boxes(b), d, real(side*cells(d + 1), dp))
            wrong(b)%values = values(b)%values(:, 2:)
        end do
        call hpgmg_set_wall(solver, d, side, wrong, status)
        call refused(status, HPGMG_ARGUMENT, 'values is NULL')
        call hpgmg_set_wall(solver, d, side, values(2:), status)
        call refused(status, HPGMG_ARGUMENT, 'count is')
        call hpgmg_set_wall(solver, 3, side, values, status)
        call refused(status, HPGMG_ARGUMENT, 'no direction 3')
        call hpgmg_set_wall(solver, d, side, values)
    end subroutine

    ! slope() at the centres of a box's faces; `at` is the wall's place in cells.
    function face_values(box, d, at) result(values)
        type(hpgmg_box), intent(in) :: box
        integer, intent(in) :: d
        real(dp), intent(in) :: at
        real(dp), allocatable :: values(:, :)
        real(dp) :: x(3)
        integer :: s, t, i, j

        s = merge(2, 1, d == 0)
        t = merge(2, 3, d == 2)
        x(d + 1) = at/n
        allocate(values(box%n(s), box%n(t)))
        do j = 1, box%n(t)
            do i = 1, box%n(s)
                x(s) = (box%lo(s) + i - 0.5_dp)/n
                x(t) = (box%lo(t) + j - 0.5_dp)/n
                values(i, j) = slope(x(1), x(2), x(3))
            end do
        end do
    end function

    function slope(x, y, z) result(value)
        real(dp), intent(in) :: x, y, z
        real(dp) :: value

        value = x + 2*y + 4*z
    end function

    function zero(x, y, z) result(value)
        real(dp), intent(in) :: x, y, z
        real(dp) :: value

        value = 0*(x + y + z)
    end function

    subroutine results()
        type(hpgmg_solver) :: solver
        type(hpgmg_result) :: result
        real(dp) :: f(n, 2*n, n)
        integer :: status

        call make(solver, [character(20) :: 'boundary', 'periodic', 'coefficients', 'constant'])
        f(1::2, :, :) = 5
        f(2::2, :, :) = 1
        call hpgmg_set(solver, HPGMG_F, f, lo)
        call hpgmg_solve(solver, HPGMG_FROM_ZERO, result)
        call expect(result%cycles > 0 .and. size(result%history) == result%cycles, 'history')
        call expect(result%residual < 1e-8_dp .and. &
            same(result%history(result%cycles), result%residual), 'residual')
        call expect(abs(result%rhs_norm - 2) < 1e-12_dp .and. abs(result%rhs_mean - 3) < 1e-12_dp, &
            'norm and mean of f')
        call expect(result%seconds > 0 .and. result%setup_seconds > 0, 'times')
        call expect(result%krylov_cycles == 0 .and. result%warning == '', 'nothing to warn of')
        call hpgmg_solve(solver, HPGMG_FROM_GUESS, result)
        call expect(result%cycles == 0 .and. size(result%history) == 0, 'a guess that solves')
        call expect(result%setup_seconds <= 0, 'no new operators')
        call hpgmg_destroy(solver)
        call make(solver, [character(20) :: 'solver', 'mg', 'rtol', '1e-13', 'max-cycles', '1', &
            'coefficients', 'constant'])
        call hpgmg_set_function(solver, HPGMG_F, slope)
        call hpgmg_solve(solver, HPGMG_FROM_ZERO, result, status)
        call refused(status, HPGMG_NOT_CONVERGED, 'max-cycles reached')
        call expect(result%cycles == 2 .and. result%residual > 1e-13_dp, 'its result')
        call hpgmg_destroy(solver)
    end subroutine

    ! What only some solvers tell: cycles of IDR(3), and a warning.
    subroutine warnings()
        type(hpgmg_solver) :: solver
        type(hpgmg_result) :: result

        call hpgmg_create(solver, [68, 68, 68], [1.0_dp, 1.0_dp, 1.0_dp], [character(20) :: &
            'backend', 'cpu', 'coefficients', 'constant', 'solver', 'idr', 'rtol', '0.1'])
        call hpgmg_set_function(solver, HPGMG_F, slope)
        call hpgmg_solve(solver, HPGMG_FROM_ZERO, result)
        call expect(result%krylov_cycles > 0, 'cycles of IDR')
        call expect(index(result%warning, 'the coarsest level has 17^3 cells') == 1, 'a warning')
        call hpgmg_destroy(solver)
    end subroutine
end program
