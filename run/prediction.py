# SPDX-License-Identifier: BSD-3-Clause
"""The model of run/predict: times of one GPU, message counts of --dry-run --ranks, and a network give times of many.

An F-cycle on n³ is an F-cycle on (n/2)³ and a V-cycle on n³, and a V-cycle visits every level once. So the finest level
is visited once, the next one twice, and so on. docs/SCALING.md explains the model and its errors. Times are seconds."""
import csv
import dataclasses
import functools
import math
import re

from errors import Unusable, reading
from reports import cells_of, parse_cells, read_run, solve_seconds
from study import output_of

SWEEPS = 6  # of a smoothing: three red and three black half-sweeps
FIRST_SWEEPS = 2  # that one exchange serves on GPUs
SIMULATED_LAYERS = 4  # of halos of order 4 with a smoother that is not coloured, on every backend
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


# One GPU.

def cube_side(cells):
    """Cells per side of the cube with as many cells."""
    return round(math.prod(cells) ** (1 / 3), 9)


def on_sizes(table, side):
    """The value for a cube with this many cells per side: between two sizes by a power law, beyond the largest by
    volume, below the smallest that of the smallest."""
    sizes = sorted(table)
    if side <= sizes[0]:
        return table[sizes[0]]
    if side >= sizes[-1]:
        return table[sizes[-1]] * (side / sizes[-1]) ** 3
    high = next(size for size in sizes if size >= side)
    low = sizes[sizes.index(high) - 1]
    share = math.log(side / low) / math.log(high / low)
    return table[low] ** (1 - share) * table[high] ** share


class Processor:
    """Seconds of a visit to a level: `whole` on one rank, `shared` on a rank of several; `cpu` on the host's CPU.

    The tail runs small levels on one rank only, so `shared` has times of kernel by kernel there."""

    def __init__(self, order, whole, shared, cpu, tail, gpu):
        self.order, self.whole, self.shared, self.cpu, self.tail, self.gpu = order, whole, shared, cpu, tail, gpu
        self.bottom = min(whole)

    def floor(self):
        """What a visit to a shared level takes at least, however few cells it has; 0 on a CPU."""
        return min(self.shared.values()) if self.gpu else 0.0

    def alone(self, cells):
        """The table for a level that is on one rank: the tail takes no level that is longer than a block's tile and
        thinner than its subdomains."""
        return self.shared if self.gpu and max(cells) > 8 and min(cells) < 4 else self.whole

    def levels(self, cells):
        """Cells by direction of the levels of an F-cycle on one rank."""
        found = [cells]
        while all(n % 2 == 0 for n in found[-1]) and cube_side(found[-1]) > self.bottom:
            found.append(tuple(n // 2 for n in found[-1]))
        return found

    def cycle(self, cells):
        """Seconds of an F-cycle on one rank."""
        return sum(visits * on_sizes(self.alone(level), cube_side(level)) for visits, level in enumerate(self.levels(cells), 1))


def from_stages(solve, levels):
    """Seconds of a visit by size, from stages timed one by one. Their sum is scaled to the solve's time."""
    seconds, top = {}, min(stage["level"] for stage in solve["stages"])
    for stage in solve["stages"]:
        seconds[stage["level"]] = seconds.get(stage["level"], 0.0) + stage["seconds"]
    scale = solve["time"] / sum(seconds.values())
    return {levels[level]["n"]: scale * total / (level - top + 1) for level, total in seconds.items()}


def add_larger(whole, solves):
    """Seconds of a visit to the larger sizes, by differences of F-cycles: F(2n) = F(n) + V(n) + the visit to 2n."""
    known = sorted(whole)
    v_cycle = sum(whole.values())
    cycle = sum(visits * whole[n] for visits, n in enumerate(reversed(known), 1))
    n = 2 * known[-1]
    while n in solves:
        whole[n] = solves[n]["time"] - cycle - v_cycle
        if whole[n] <= 0:
            raise Unusable(f"the reports give {n}³ less time than its coarser levels take")
        v_cycle += whole[n]
        cycle = solves[n]["time"]
        n *= 2
    if n <= max(solves):
        raise Unusable(f"the reports have {max(solves)}³ but not {n}³: sizes must follow each other by factors of 2")


def tail_sizes(solve, levels):
    return {levels[stage["level"]]["n"] for stage in solve["stages"] if "tail" in stage.get("kernels", "").split(", ")}


def visits_of_cycles(seconds):
    """Seconds of a visit by size, from F-cycles of sizes that follow each other by factors of 2."""
    sizes = sorted(seconds)
    if any(high != 2 * low for low, high in zip(sizes, sizes[1:])):
        raise Unusable("--cycles: sizes must follow each other by factors of 2")
    cycles = [0.0, 0.0] + [seconds[n] for n in sizes]
    return {n: cycles[i + 2] - 2 * cycles[i + 1] + cycles[i] for i, n in enumerate(sizes) if i > 0}


def read_cycles(path, order):
    """Visits kernel by kernel and on the CPU, from a table as docs/machines/NVIDIA-H200-cycles.csv."""
    found = {"kernels": {}, "cpu": {}}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            if not {"backend", "order", "n", "seconds"} <= set(rows.fieldnames or ()):
                raise ValueError("has not the columns backend, order, n, seconds")
            for row in rows:
                if row["backend"] in found and int(row["order"]) == order:
                    found[row["backend"]][int(row["n"])] = float(row["seconds"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise Unusable(f"--cycles: {path}: {error}") from error
    return visits_of_cycles(found["kernels"]), visits_of_cycles(found["cpu"])


def read_report(path):
    """With the report's path, and the time of each solve."""
    report = read_run(path)
    if report.get("ranks") != 1:
        raise Unusable(f"{path}: is of {report.get('ranks')} ranks, not of one")
    with reading(path):
        if not all(solve.get("stages") for solve in report["solves"]):
            raise Unusable(f"{path}: has no times of stages; hpgmg-gpu --json writes them, without --quiet")
        if any(len(set(cells_of(solve))) > 1 for solve in report["solves"]):
            raise Unusable(f"{path}: its domain is no cube")
        return {**report, "path": path,
                "solves": [{**solve, "time": solve_seconds(report, solve)} for solve in report["solves"]]}


def preference(solve):
    return bool(solve.get("noisy")), solve["time"]


def read_processor(reports, cycles):
    """A Processor from reports of one order. Of a size that several have, the fastest without noise counts."""
    solves, owner = {}, {}
    for report in reports:
        for solve in report["solves"]:
            n = solve["n"]
            if n not in solves or preference(solve) < preference(solves[n]):
                solves[n], owner[n] = solve, report
    for n, solve in solves.items():
        if solve.get("noisy"):
            raise Unusable(f"{owner[n]['path']}: times of {n}^3 are noisy (spread or drift above 10 %), and no other report has "
                           "better ones: run it longer (--min-time), or on a machine without other work")
    smallest = min(solves)
    whole = from_stages(solves[smallest], owner[smallest]["hierarchy"]["levels"])
    add_larger(whole, solves)
    order = reports[0]["order"]
    tail = set().union(*(tail_sizes(solve, owner[n]["hierarchy"]["levels"]) for n, solve in solves.items()))
    shared = {n: seconds for n, seconds in whole.items() if n not in tail and n > min(whole)}
    kernels, cpu = read_cycles(cycles, order) if cycles else ({}, {})
    if tail:
        shared.update((n, seconds) for n, seconds in kernels.items() if n in tail)
    if not shared:
        raise Unusable("the reports have no size whose levels other ranks could share")
    return Processor(order, whole, shared, cpu, tail, reports[0]["hierarchy"]["levels"][0]["backend"] == "gpu")


# The job.

@dataclasses.dataclass
class Traffic:
    """What a rank sends in one exchange at most."""
    messages: int
    elsewhere: int  # of these, to other nodes
    bytes: float


@dataclasses.dataclass
class SimulatedLevel:
    cells: tuple  # by direction, as those of a box
    boxes: int
    box_cells: tuple
    ranks: int
    halo: Traffic = None
    move: Traffic = None  # redistribution to and from the next level

    def cells_per_rank(self):
        """Of the fullest rank."""
        return -(-self.boxes // self.ranks) * math.prod(self.box_cells)


CELLS = r"(\d+\^3|\d+x\d+x\d+)"
LEVEL = re.compile(rf" +\d+ +{CELLS} +(\d+)x *\(?{CELLS}\)? +\d+ +(\d+) +[\d.]+ \w+ +[\d.]+ \w+$")
MESSAGES = re.compile(r" +(\d+) +(halo|agglomerate|distribute) +\d+ +[\d.]+ +(\d+) +[\d.]+ +(\d+) +[\d.]+ \w+ +([\d.]+) (\w+)$")


def parse_simulation(text):
    """The levels that --dry-run --ranks prints, with the messages of the rank that sends most."""
    levels = []
    for line in text.splitlines():
        level, messages = LEVEL.match(line), MESSAGES.match(line)
        if level:
            levels.append(SimulatedLevel(parse_cells(level[1]), int(level[2]), parse_cells(level[3]), int(level[4])))
        elif messages:
            own = levels[int(messages[1])]
            traffic = Traffic(int(messages[3]), int(messages[4]), float(messages[5]) * UNITS[messages[6]])
            if messages[2] == "halo":
                own.halo = traffic
            elif own.move is None or traffic.bytes > own.move.bytes:
                own.move = traffic
    if not levels:
        raise Unusable("the program's --dry-run --ranks printed no table of levels")
    return levels


@functools.lru_cache(maxsize=None)
def simulate(program, domain, ranks_per_node, agglomerate, method):
    """Runs --dry-run --ranks. `method`: options on which the depth of halos depends. Nobody changes what it returns."""
    command = [program, "--backend", "cpu", "--dry-run", "--ranks", str(domain.ranks), "--ranks-per-node", str(ranks_per_node),
               "--agglomerate-below", str(agglomerate), *method, *domain.words()]
    return parse_simulation(output_of(command))


# The network.

@dataclasses.dataclass
class Network:
    """Latencies in seconds, bandwidths in bytes per second, of one rank."""
    latency_inside: float
    bandwidth_inside: float
    latency_between: float
    bandwidth_between: float
    message_between: float  # each further message of an exchange
    staging: float  # 0: the network reads and writes the GPU's memory
    staging_bandwidth: float
    ranks_per_node: int

    def share_between(self, traffic):
        """Of a halo's bytes: the surface of a cube of nodes' ranks over that of the ranks one by one."""
        if traffic.elsewhere in (0, traffic.messages):
            return 1.0 if traffic.elsewhere else 0.0
        return self.ranks_per_node ** (-1 / 3)

    def exchange(self, traffic, bytes_moved, share):
        """(latency, transfer) in seconds. Messages within the node travel while those to other nodes do."""
        if not traffic or not traffic.messages:
            return 0.0, 0.0
        between, inside = share * bytes_moved, (1 - share) * bytes_moved
        near = (self.latency_inside, inside / self.bandwidth_inside) if traffic.messages > traffic.elsewhere else (0.0, 0.0)
        far = (0.0, 0.0)
        if traffic.elsewhere:
            waits = self.latency_between + (traffic.elsewhere - 1) * self.message_between + self.staging
            staged = 2 * between / self.staging_bandwidth if self.staging else 0.0
            far = (waits, between / self.bandwidth_between + staged)
        return max(near, far, key=sum)


# The prediction.

@dataclasses.dataclass
class Method:
    """What may be changed, and what the program does by default."""
    agglomerate: list
    cpu_below: int = 0
    hand_over: float = 0.0
    sweeps_per_exchange: int = FIRST_SWEEPS
    overlap_above: float = math.inf


@dataclasses.dataclass
class LevelTime:
    """Seconds of one F-cycle on one level."""
    cells: tuple  # by direction
    ranks: int
    cells_per_rank: int
    visits: int
    exchanges: int = 0
    compute: float = 0.0
    latency: float = 0.0
    transfer: float = 0.0
    fixed_compute: float = 0.0  # the part of `compute` that fewer cells would not shorten

    def seconds(self):
        return self.compute + self.latency + self.transfer

    def fixed(self):
        """The share that does not depend on the number of cells."""
        return (self.fixed_compute + self.latency) / self.seconds()


def exchanges_of(order, visits, finest, moved, sweeps_per_exchange):
    """Halo exchanges on a level in an F-cycle. Each visit has one for f, those of two smoothings, the first with valid
    ghosts at its beginning, and with order 4 one before the residual. Interpolation to the finer level reads a halo too, unless
    u has been moved there from other ranks. With order 4 the last residual's norm has one."""
    groups = -(-SWEEPS // sweeps_per_exchange)
    each = 1 + (groups - 1) + groups + (order == 4)
    return visits * each + (0 if finest or moved else visits) + (finest and order == 4)


def repeated_work(side, sweeps_per_exchange):
    """Cells that sweeps update, with those in ghosts, per cell of a cube with neighbours on six sides."""
    layers = [sweeps_per_exchange - 1 - sweep % sweeps_per_exchange for sweep in range(SWEEPS)]
    return sum((1 + 2 * layer / side) ** 3 for layer in layers) / SWEEPS


class Prediction:
    """One size on one number of ranks."""

    def __init__(self, processor, network, method, levels, agglomerate, top=0):
        self.processor, self.network, self.method, self.agglomerate = processor, network, method, agglomerate
        self.cells, self.ranks = levels[top].cells, levels[0].ranks
        alone = next((index for index, level in enumerate(levels) if level.ranks == 1 and index >= top), None)
        if alone is None:
            raise Unusable("the coarsest level is on several ranks")
        self.levels = [self.shared(levels, index, index - top + 1) for index in range(top, alone)]
        self.levels += self.on_one(levels[alone].cells, alone - top + 1)
        hops = math.ceil(math.log2(self.ranks))
        between = self.ranks > network.ranks_per_node
        self.norm = hops * (network.latency_between if between else network.latency_inside)

    def shared(self, levels, index, visits):
        """A level on several ranks."""
        own, sweeps = levels[index], self.method.sweeps_per_exchange
        moved = index > 0 and levels[index - 1].move is not None
        time = LevelTime(own.cells, own.ranks, own.cells_per_rank(), visits)
        side = cube_side((own.cells_per_rank(),))
        if self.processor.gpu:
            side *= (repeated_work(side, sweeps) / repeated_work(side, FIRST_SWEEPS)) ** (1 / 3)
        visit = on_sizes(self.processor.shared, side)
        time.compute, time.fixed_compute = visits * visit, visits * min(visit, self.processor.floor())
        time.exchanges = exchanges_of(self.processor.order, visits, visits == 1, moved, sweeps)
        if own.halo:
            latency, transfer = self.halo(own, visits * visit / time.exchanges)
            time.latency, time.transfer = time.exchanges * latency, time.exchanges * transfer
        if own.move:
            share = own.move.elsewhere / own.move.messages if own.move.messages else 0.0
            latency, transfer = self.network.exchange(own.move, own.move.bytes, share)
            time.latency += 2 * (visits + 1) * latency  # down and up in each visit, and once for the F-cycle itself
            time.transfer += 2 * (visits + 1) * transfer
        return time

    def halo(self, own, hidden):
        """(latency, transfer) of one exchange, less what computing for `hidden` seconds hides."""
        layers = (self.method.sweeps_per_exchange + 1) / SIMULATED_LAYERS if self.processor.gpu else 1.0
        share = self.network.share_between(own.halo)
        latency, transfer = self.network.exchange(own.halo, layers * own.halo.bytes, share)
        if not own.halo.elsewhere or own.cells_per_rank() < self.method.overlap_above:
            return latency, transfer
        return max(0.0, latency - max(0.0, hidden - transfer)), max(0.0, transfer - hidden)

    def on_one(self, cells, visits):
        """The levels from here down, on one rank."""
        found, handed = [], False
        for level in self.processor.levels(cells):
            time, side = LevelTime(level, 1, math.prod(level), visits), cube_side(level)
            on_cpu = time.cells_per_rank < self.method.cpu_below
            if on_cpu and not self.processor.cpu:
                raise Unusable("--cpu-below: --cycles has no times of the CPU for this order")
            table = self.processor.cpu if on_cpu else self.processor.alone(level)
            visit = on_sizes(table, side)
            time.compute = visits * visit
            if on_cpu and not handed:
                time.latency, handed = visits * self.method.hand_over, True
            small = table is self.processor.whole and (side in self.processor.tail or side <= self.processor.bottom)
            time.fixed_compute = time.compute if small and self.processor.gpu else visits * min(visit, self.processor.floor())
            found.append(time)
            visits += 1
        return found

    def seconds(self):
        return sum(level.seconds() for level in self.levels) + self.norm

    def dof_per_second(self):
        return math.prod(self.cells) / self.seconds()

    def latency_level(self):
        """The first level from which on more than half of each level's time is fixed; None if there is none."""
        first = None
        for level in reversed(self.levels):
            if level.fixed() <= 0.5:
                break
            first = level
        return first


def predict(processor, network, method, domain, program, top=0, options=()):
    """The fastest prediction over the thresholds of agglomeration, as --agglomerate-below auto would choose."""
    simulated = options or ("--order", "4", "--smoother", "jacobi")
    found = []
    for agglomerate in method.agglomerate:
        levels = simulate(program, domain, network.ranks_per_node, agglomerate, simulated)
        found.append(Prediction(processor, network, method, levels, agglomerate, top))
    return min(found, key=Prediction.seconds)
