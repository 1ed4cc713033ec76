! SPDX-License-Identifier: BSD-3-Clause
!
! The library of hpgmg-gpu in Fortran: geometric multigrid for -div(beta grad u) = f or
! alpha u - div(beta grad u) = f in a box of equal cells. Procedures and constants have the names of
! the C header hpgmg.h, which says what each does; docs/API.md has an
! example. Needs Fortran 2018's interoperability with C.
!
! Compile this file with the program, by the program's compiler:
!
!     mpifort "$(pkg-config --variable=fortran hpgmg)" poisson.f90 -o poisson \
!         $(pkg-config --libs hpgmg)
!
! Numbering. Cells, boxes, directions (0 to 2) and sides (0 and 1) count from 0, as in C and in
! messages. Fortran's own arrays keep whatever bounds they have: only their shapes matter.
!
! Arrays are real(c_double) in host memory. values(i,j,k) is cell lo + (i,j,k), counted from the
! array's first element. beta in direction d has one value more than cells in that direction: the
! low faces of all cells, and the high face of the last one.
!
! Errors. Every subroutine has an optional argument `status`, which becomes HPGMG_OK or another of
! the constants below; hpgmg_message() then says what was wrong. Without `status`, a call that fails
! prints the message on stderr and ends the job with the status as exit status (hpgmg_check).
!
! Subroutines are collective over the solver's ranks, but hpgmg_boxes and hpgmg_cell_sizes.
module hpgmg
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_funloc, &
        c_funptr, c_int, c_intptr_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
    implicit none
    private

    ! enum hpgmg_status
    enum, bind(c)
        enumerator :: HPGMG_OK = 0
        enumerator :: HPGMG_NOT_CONVERGED = 1
        enumerator :: HPGMG_ARGUMENT = 2
        enumerator :: HPGMG_ORDER = 3
        enumerator :: HPGMG_MISMATCH = 4
        enumerator :: HPGMG_MEMORY = 5
        enumerator :: HPGMG_ENVIRONMENT = 6
    end enum

    ! enum hpgmg_field
    enum, bind(c)
        enumerator :: HPGMG_U = 0
        enumerator :: HPGMG_F = 1
        enumerator :: HPGMG_ALPHA = 2
        enumerator :: HPGMG_BETA_I = 3
        enumerator :: HPGMG_BETA_J = 4
        enumerator :: HPGMG_BETA_K = 5
    end enum

    ! enum hpgmg_start
    enum, bind(c)
        enumerator :: HPGMG_FROM_ZERO = 0
        enumerator :: HPGMG_FROM_GUESS = 1
    end enum

    public :: HPGMG_OK, HPGMG_NOT_CONVERGED, HPGMG_ARGUMENT, HPGMG_ORDER, HPGMG_MISMATCH, &
        HPGMG_MEMORY, HPGMG_ENVIRONMENT
    public :: HPGMG_U, HPGMG_F, HPGMG_ALPHA, HPGMG_BETA_I, HPGMG_BETA_J, HPGMG_BETA_K
    public :: HPGMG_FROM_ZERO, HPGMG_FROM_GUESS
    public :: hpgmg_solver, hpgmg_box, hpgmg_block, hpgmg_wall_values, hpgmg_result, hpgmg_function
    public :: hpgmg_create, hpgmg_create_stretched, hpgmg_destroy, hpgmg_boxes, hpgmg_cell_sizes, hpgmg_set, &
        hpgmg_set_function, hpgmg_get, hpgmg_set_wall, hpgmg_set_wall_function, hpgmg_solve, &
        hpgmg_message, hpgmg_check

    ! A solver. A copy by assignment is the same solver. A solver that goes out of scope is not
    ! destroyed.
    type :: hpgmg_solver
        private
        type(c_ptr) :: handle = c_null_ptr
    end type

    ! Cells lo to lo + n - 1 in each direction; lo counts from 0.
    type, bind(c) :: hpgmg_box
        integer(c_int) :: lo(3), n(3)
    end type

    ! Values of a field from cell lo on. The array may be a section, such as u(1:n,1:n,1:n) of an
    ! array with ghost cells; it is used where it is.
    type :: hpgmg_block
        integer(c_int) :: lo(3) = 0
        real(c_double), pointer :: values(:, :, :) => null()
    end type

    ! Values on a wall, in one box: values(s,t), s < t the directions other than the wall's.
    type :: hpgmg_wall_values
        real(c_double), allocatable :: values(:, :)
    end type

    ! What a solve took; struct hpgmg_result says more.
    type :: hpgmg_result
        integer(c_int) :: cycles = 0
        real(c_double) :: residual = 0 ! relative to max|f|
        real(c_double) :: rhs_norm = 0, rhs_mean = 0
        real(c_double) :: seconds = 0, setup_seconds = 0
        real(c_double), allocatable :: history(:) ! relative residual after each cycle
        integer(c_int) :: krylov_cycles = 0
        character(:), allocatable :: warning ! '' if nothing is known to make solves slow
    end type

    abstract interface
        ! The value at a point of the domain, in the coordinates of `lengths`. It may be an internal
        ! procedure, which sees the variables of its host.
        function hpgmg_function(x, y, z) result(value)
            import :: c_double
            real(c_double), intent(in) :: x, y, z
            real(c_double) :: value
        end function
    end interface

    ! Sets a field. (solver, field, values [, lo] [, status]): from one array per rank, whose first
    ! element is cell lo, without lo cell (0,0,0). (solver, field, blocks [, status]): from any
    ! number of arrays per rank. Together they cover each cell once.
    interface hpgmg_set
        module procedure set_array, set_blocks
    end interface

    ! Gets a field into arrays of any boxes in the domain, with the arguments of hpgmg_set. Of beta,
    ! the last values are written on the high side of the domain only; the others are left alone.
    interface hpgmg_get
        module procedure get_array, get_blocks
    end interface

    ! --- C's structures and functions ---

    type, bind(c) :: c_block
        type(hpgmg_box) :: box
        type(c_ptr) :: values
        integer(c_ptrdiff_t) :: stride(3)
    end type

    type, bind(c) :: c_result
        integer(c_int) :: cycles
        real(c_double) :: residual, rhs_norm, rhs_mean, seconds, setup_seconds
        type(c_ptr) :: history
        integer(c_int) :: krylov_cycles
        type(c_ptr) :: warning
    end type

    ! What call_closure() gets through C's pointer.
    type :: closure
        procedure(hpgmg_function), pointer, nopass :: call => null()
    end type

    interface
        function c_message() result(message) bind(c, name='hpgmg_message')
            import :: c_ptr
            type(c_ptr) :: message
        end function

        subroutine c_check(status) bind(c, name='hpgmg_check')
            import :: c_int
            integer(c_int), value :: status
        end subroutine

        function c_create(solver, comm, cells, lengths, widths, options) result(status) &
            bind(c, name='hpgmg_create_fortran')
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(out) :: solver
            integer(c_int), intent(in), optional :: comm
            integer(c_int), intent(in) :: cells(3)
            real(c_double), intent(in), optional :: lengths(3)
            type(c_ptr), intent(in), optional :: widths(3)
            type(c_ptr), intent(in) :: options(*)
            integer(c_int) :: status
        end function

        function c_destroy(solver) result(status) bind(c, name='hpgmg_destroy')
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: solver
            integer(c_int) :: status
        end function

        function c_boxes(solver, count, boxes) result(status) bind(c, name='hpgmg_boxes')
            import :: c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), intent(out) :: count
            type(c_ptr), intent(out) :: boxes
            integer(c_int) :: status
        end function

        function c_cell_sizes(solver, sizes) result(status) bind(c, name='hpgmg_cell_sizes')
            import :: c_double, c_int, c_ptr
            type(c_ptr), value :: solver
            real(c_double), intent(inout) :: sizes(3)
            integer(c_int) :: status
        end function

        function c_set(solver, field, count, blocks) result(status) bind(c, name='hpgmg_set')
            import :: c_block, c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), value :: field, count
            type(c_block), intent(in) :: blocks(*)
            integer(c_int) :: status
        end function

        function c_get(solver, field, count, blocks) result(status) bind(c, name='hpgmg_get')
            import :: c_block, c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), value :: field, count
            type(c_block), intent(in) :: blocks(*)
            integer(c_int) :: status
        end function

        function c_set_function(solver, field, call, data) result(status) &
            bind(c, name='hpgmg_set_function')
            import :: c_funptr, c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), value :: field
            type(c_funptr), value :: call
            type(c_ptr), value :: data
            integer(c_int) :: status
        end function

        function c_set_wall(solver, direction, side, count, values) result(status) &
            bind(c, name='hpgmg_set_wall')
            import :: c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), value :: direction, side, count
            type(c_ptr), intent(in) :: values(*)
            integer(c_int) :: status
        end function

        function c_set_wall_function(solver, direction, side, call, data) result(status) &
            bind(c, name='hpgmg_set_wall_function')
            import :: c_funptr, c_int, c_ptr
            type(c_ptr), value :: solver
            integer(c_int), value :: direction, side
            type(c_funptr), value :: call
            type(c_ptr), value :: data
            integer(c_int) :: status
        end function

        function c_solve(solver, start, result) result(status) bind(c, name='hpgmg_solve')
            import :: c_int, c_ptr, c_result
            type(c_ptr), value :: solver
            integer(c_int), value :: start
            type(c_result), intent(inout) :: result
            integer(c_int) :: status
        end function

        function c_strlen(text) result(length) bind(c, name='strlen')
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface

contains

    ! --- solvers ---

    ! Makes a solver for cells(1) x cells(2) x cells(3) cells of the box 0 ... lengths(d).
    !
    ! options: names and values in turn, of one length, as in
    ! [character(20) :: 'order', '4', 'boundary', 'periodic']. Trailing blanks do not count.
    !
    ! comm: the handle that `use mpi` and mpif.h have; of mpi_f08's type(MPI_Comm) it is
    ! comm%mpi_val. Without comm, the solver is of all ranks (MPI_COMM_WORLD).
    subroutine hpgmg_create(solver, cells, lengths, options, comm, status)
        type(hpgmg_solver), intent(out) :: solver
        integer(c_int), intent(in) :: cells(3)
        real(c_double), intent(in) :: lengths(3)
        character(*), intent(in), optional :: options(:)
        integer(c_int), intent(in), optional :: comm
        integer(c_int), intent(out), optional :: status
        character(1), parameter :: none(0) = ''

        if (present(options)) then
            call create(solver, cells, options, lengths, comm=comm, status=status)
        else
            call create(solver, cells, none, lengths, comm=comm, status=status)
        end if
    end subroutine

    ! The same for cells whose widths differ: those in x, y and z. Order 2, variable coefficients.
    subroutine hpgmg_create_stretched(solver, x, y, z, options, comm, status)
        type(hpgmg_solver), intent(out) :: solver
        real(c_double), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(*), intent(in), optional :: options(:)
        integer(c_int), intent(in), optional :: comm
        integer(c_int), intent(out), optional :: status
        character(1), parameter :: none(0) = ''
        integer(c_int) :: cells(3)
        type(c_ptr) :: widths(3)

        cells = [size(x), size(y), size(z)]
        widths = [c_loc(x), c_loc(y), c_loc(z)]
        if (present(options)) then
            call create(solver, cells, options, widths=widths, comm=comm, status=status)
        else
            call create(solver, cells, none, widths=widths, comm=comm, status=status)
        end if
    end subroutine

    subroutine create(solver, cells, options, lengths, widths, comm, status)
        type(hpgmg_solver), intent(inout) :: solver
        integer(c_int), intent(in) :: cells(3)
        character(*), intent(in) :: options(:)
        real(c_double), intent(in), optional :: lengths(3)
        type(c_ptr), intent(in), optional :: widths(3)
        integer(c_int), intent(in), optional :: comm
        integer(c_int), intent(out), optional :: status
        character(len(options) + 1, kind=c_char), target :: words(size(options))
        type(c_ptr) :: pointers(size(options) + 1) ! the last one is null
        integer :: i

        do i = 1, size(options)
            words(i) = trim(options(i))//c_null_char
            pointers(i) = c_loc(words(i)(1:1))
        end do
        pointers(size(pointers)) = c_null_ptr
        call finish(c_create(solver%handle, comm, cells, lengths, widths, pointers), status)
    end subroutine

    ! Releases the solver, at the latest before MPI_Finalize. One that was never created is none.
    subroutine hpgmg_destroy(solver, status)
        type(hpgmg_solver), intent(inout) :: solver
        integer(c_int), intent(out), optional :: status

        call finish(c_destroy(solver%handle), status)
    end subroutine

    ! This rank's boxes. Not collective.
    subroutine hpgmg_boxes(solver, boxes, status)
        type(hpgmg_solver), intent(in) :: solver
        type(hpgmg_box), allocatable, intent(out) :: boxes(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: found

        call list_boxes(solver, boxes, found)
        call finish(found, status)
    end subroutine

    ! `boxes` is empty if the status is not HPGMG_OK.
    subroutine list_boxes(solver, boxes, status)
        type(hpgmg_solver), intent(in) :: solver
        type(hpgmg_box), allocatable, intent(out) :: boxes(:)
        integer(c_int), intent(out) :: status
        type(hpgmg_box), pointer :: list(:)
        type(c_ptr) :: first
        integer(c_int) :: count

        allocate(boxes(0))
        status = c_boxes(solver%handle, count, first)
        if (status /= HPGMG_OK) return
        call c_f_pointer(first, list, [count])
        boxes = list
    end subroutine

    ! The sides of a cell, lengths(d)/cells(d). Not collective.
    subroutine hpgmg_cell_sizes(solver, sizes, status)
        type(hpgmg_solver), intent(in) :: solver
        real(c_double), intent(out) :: sizes(3)
        integer(c_int), intent(out), optional :: status

        sizes = 0
        call finish(c_cell_sizes(solver%handle, sizes), status)
    end subroutine

    ! --- fields ---

    subroutine set_array(solver, field, values, lo, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: field
        real(c_double), intent(in), target :: values(:, :, :)
        integer(c_int), intent(in), optional :: lo(3)
        integer(c_int), intent(out), optional :: status

        call finish(c_set(solver%handle, field, 1, [block_of(field, values, lo)]), status)
    end subroutine

    subroutine set_blocks(solver, field, blocks, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: field
        type(hpgmg_block), intent(in) :: blocks(:)
        integer(c_int), intent(out), optional :: status

        call finish(c_set(solver%handle, field, size(blocks), blocks_of(field, blocks)), status)
    end subroutine

    subroutine get_array(solver, field, values, lo, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: field
        real(c_double), intent(inout), target :: values(:, :, :)
        integer(c_int), intent(in), optional :: lo(3)
        integer(c_int), intent(out), optional :: status

        call finish(c_get(solver%handle, field, 1, [block_of(field, values, lo)]), status)
    end subroutine

    subroutine get_blocks(solver, field, blocks, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: field
        type(hpgmg_block), intent(in) :: blocks(:)
        integer(c_int), intent(out), optional :: status

        call finish(c_get(solver%handle, field, size(blocks), blocks_of(field, blocks)), status)
    end subroutine

    ! Sets a field to a function's means over cells or faces.
    subroutine hpgmg_set_function(solver, field, f, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: field
        procedure(hpgmg_function) :: f
        integer(c_int), intent(out), optional :: status
        type(closure), target :: own

        own%call => f
        call finish(c_set_function(solver%handle, field, c_funloc(call_closure), c_loc(own)), &
            status)
    end subroutine

    function blocks_of(field, blocks) result(all)
        integer(c_int), intent(in) :: field
        type(hpgmg_block), intent(in) :: blocks(:)
        type(c_block) :: all(size(blocks))
        integer :: b

        do b = 1, size(blocks)
            if (associated(blocks(b)%values)) then
                all(b) = block_of(field, blocks(b)%values, blocks(b)%lo)
            else ! refused by the library
                all(b) = c_block(hpgmg_box(blocks(b)%lo, 1), c_null_ptr, 1)
            end if
        end do
    end function

    ! The library refuses a block without cells, whose address is none.
    function block_of(field, values, lo) result(block)
        integer(c_int), intent(in) :: field
        real(c_double), intent(in), target :: values(:, :, :)
        integer(c_int), intent(in), optional :: lo(3)
        type(c_block) :: block
        integer :: second(3), d

        block%box%lo = 0
        if (present(lo)) block%box%lo = lo
        block%box%n = shape(values)
        do d = 1, 3
            if (field == HPGMG_BETA_I + d - 1) block%box%n(d) = block%box%n(d) - 1
        end do
        block%values = c_null_ptr
        block%stride = 1 ! where there is one value only, any will do
        if (size(values) == 0) return
        block%values = c_loc(values(1, 1, 1))
        do d = 1, 3
            second = 1
            second(d) = 2
            if (size(values, d) > 1) &
                block%stride(d) = distance(values(1, 1, 1), values(second(1), second(2), second(3)))
        end do
    end function

    ! In numbers, from one to the other.
    function distance(from, to)
        real(c_double), intent(in), target :: from, to
        integer(c_ptrdiff_t) :: distance
        integer(c_intptr_t), parameter :: bytes = storage_size(from)/8

        distance = (transfer(c_loc(to), bytes) - transfer(c_loc(from), bytes))/bytes
    end function

    ! --- walls ---

    ! Sets the values on the wall in direction 0 to 2 on its low (side 0) or high side (1): u on a
    ! Dirichlet wall, du/dn along the outward normal on a Neumann wall. values(b) belongs to this
    ! rank's box b of hpgmg_boxes. Only those of boxes at the wall are read, and the others may be
    ! left unallocated. An array that has not the shape of its box's face counts as unallocated; a
    ! box at the wall is refused then.
    subroutine hpgmg_set_wall(solver, direction, side, values, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: direction, side
        type(hpgmg_wall_values), intent(in), target :: values(:)
        integer(c_int), intent(out), optional :: status
        type(hpgmg_box), allocatable :: boxes(:)
        type(c_ptr) :: pointers(size(values))
        integer(c_int) :: found
        integer :: b

        pointers = c_null_ptr
        call list_boxes(solver, boxes, found)
        do b = 1, min(size(values), size(boxes))
            if (fits(values(b), boxes(b)%n, direction)) pointers(b) = c_loc(values(b)%values)
        end do
        call finish(c_set_wall(solver%handle, direction, side, size(values), pointers), status)
    end subroutine

    pure function fits(wall, n, direction)
        type(hpgmg_wall_values), intent(in) :: wall
        integer(c_int), intent(in) :: n(3), direction
        logical :: fits
        integer :: d

        fits = .false.
        if (direction < 0 .or. direction > 2 .or. .not. allocated(wall%values)) return
        fits = all(shape(wall%values) == pack(n, [(d /= direction, d=0, 2)]))
    end function

    ! Sets them to a function's means over the wall's faces.
    subroutine hpgmg_set_wall_function(solver, direction, side, f, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: direction, side
        procedure(hpgmg_function) :: f
        integer(c_int), intent(out), optional :: status
        type(closure), target :: own

        own%call => f
        call finish(c_set_wall_function(solver%handle, direction, side, c_funloc(call_closure), &
            c_loc(own)), status)
    end subroutine

    ! --- solves ---

    ! Solves, from HPGMG_FROM_ZERO or HPGMG_FROM_GUESS. The result is also set if the status is
    ! HPGMG_NOT_CONVERGED.
    subroutine hpgmg_solve(solver, start, result, status)
        type(hpgmg_solver), intent(in) :: solver
        integer(c_int), intent(in) :: start
        type(hpgmg_result), intent(out), optional :: result
        integer(c_int), intent(out), optional :: status
        type(c_result) :: found
        integer(c_int) :: outcome

        found = c_result(0, 0, 0, 0, 0, 0, c_null_ptr, 0, c_null_ptr)
        outcome = c_solve(solver%handle, start, found)
        if (present(result)) result = result_of(found)
        call finish(outcome, status)
    end subroutine

    function result_of(c) result(result)
        type(c_result), intent(in) :: c
        type(hpgmg_result) :: result
        real(c_double), pointer :: history(:)

        result%cycles = c%cycles
        result%residual = c%residual
        result%rhs_norm = c%rhs_norm
        result%rhs_mean = c%rhs_mean
        result%seconds = c%seconds
        result%setup_seconds = c%setup_seconds
        result%krylov_cycles = c%krylov_cycles
        result%warning = text_of(c%warning)
        allocate(result%history(0))
        if (c%cycles == 0) return
        call c_f_pointer(c%history, history, [c%cycles])
        result%history = history
    end function

    ! --- errors ---

    ! The last failed call of this process in one line; '' if none has failed.
    function hpgmg_message() result(message)
        character(:), allocatable :: message

        message = text_of(c_message())
    end function

    ! Returns if the status is HPGMG_OK. Else prints hpgmg_message() on stderr and ends the job with
    ! the status as exit status.
    subroutine hpgmg_check(status)
        integer(c_int), intent(in) :: status

        call c_check(status)
    end subroutine

    ! Hands the status to a caller who wants it; else it must be HPGMG_OK.
    subroutine finish(found, status)
        integer(c_int), intent(in) :: found
        integer(c_int), intent(out), optional :: status

        if (present(status)) then
            status = found
        else
            call c_check(found)
        end if
    end subroutine

    ! --- what passes between Fortran and C ---

    ! What the library calls; data is the address of a closure. The empty name adds none to C's.
    function call_closure(x, y, z, data) result(value) bind(c, name='')
        real(c_double), value :: x, y, z
        type(c_ptr), value :: data
        real(c_double) :: value
        type(closure), pointer :: own

        call c_f_pointer(data, own)
        value = own%call(x, y, z)
    end function

    function text_of(c) result(text)
        type(c_ptr), intent(in) :: c
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i

        if (.not. c_associated(c)) then
            text = ''
            return
        end if
        call c_f_pointer(c, letters, [c_strlen(c)])
        allocate(character(size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function
end module
