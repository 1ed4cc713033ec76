# SPDX-License-Identifier: BSD-3-Clause
"""Domains for scaling studies: cubes of boxes, for weak scaling those that give all ranks the same.

The size rule (docs/NUMERICS.md, Hierarchy) takes cubes only, with few numbers of cells per side. So not every number
of ranks can have the unknowns per rank that a study asks for. What cannot is not compared with the rest."""
import dataclasses
import math

TOLERANCE = 0.02  # by which unknowns per rank may differ from their series' value
LARGEST_ODD_PART = 11  # of the size rule
SMALLEST_BOX = 2  # log2 of a box's cells per side
NEAR, FAR = 1.1, 1.42  # factors by which a series may be off what was asked for; the second if no two ranks agree else
SIDES = sorted(odd << power for odd in range(1, LARGEST_ODD_PART + 1, 2) for power in range(SMALLEST_BOX, 16))


@dataclasses.dataclass(frozen=True)
class Domain:
    """boxes_per_side³ boxes of 2^log2_box_dim cells per side on so many ranks."""
    ranks: int
    log2_box_dim: int
    boxes_per_side: int

    def dof(self):
        return (self.boxes_per_side << self.log2_box_dim) ** 3

    def boxes_per_rank(self):
        """Of the fullest rank; the program's argument."""
        return -(-(self.boxes_per_side**3) // self.ranks)

    def fullest(self):
        """Unknowns of the fullest rank over the mean."""
        return self.boxes_per_rank() * self.ranks / self.boxes_per_side**3

    def is_even(self):
        return self.fullest() <= 1 + TOLERANCE

    def agrees(self, per_rank):
        """Whether each rank has so many unknowns."""
        return self.is_even() and agree(self.dof() / self.ranks, per_rank)


def agree(number, wanted):
    return abs(number / wanted - 1) <= TOLERANCE


def nearest_side(ranks, per_rank):
    return min(SIDES, key=lambda side: abs(math.log(side**3 / ranks / per_rank)))


def able(ranks, per_rank):
    """How many of the numbers of ranks can have so many unknowns per rank."""
    return sum(agree(nearest_side(number, per_rank) ** 3 / number, per_rank) for number in ranks)


def common_size(ranks, wanted):
    """Unknowns per rank near those wanted that the most numbers of ranks can have."""
    def rating(middle):
        first = able(ranks[:1], middle)  # what others are compared with
        return able(ranks, middle), first, -round(abs(math.log(middle / wanted)), 9)

    fallback = nearest_side(ranks[0], wanted) ** 3 / ranks[0]
    for reach in (NEAR, FAR):
        shares = sorted(side**3 / number for number in ranks for side in SIDES
                        if abs(math.log(side**3 / number / wanted)) <= math.log(reach))
        middles = [(low + high) / 2 for low in shares for high in shares if low <= high and agree(low, (low + high) / 2)]
        best = max(middles, key=rating, default=fallback)
        if able(ranks, best) >= min(2, len(ranks)):
            break
    return best


def domain_of(side, ranks, log2_box_dim):
    """With boxes as large as asked for, or smaller ones where ranks share those more evenly."""
    domains = [Domain(ranks, log2, side >> log2) for log2 in range(log2_box_dim, SMALLEST_BOX - 1, -1)
               if side % (1 << log2) == 0 and (side >> log2) ** 3 >= ranks]
    return next((domain for domain in domains if domain.is_even()), None) or min(domains, key=Domain.fullest)


def weak_domains(ranks, log2_box_dim, boxes):
    """The unknowns per rank of a series, and a domain for each number of ranks."""
    per_rank = common_size(ranks, boxes * 8.0**log2_box_dim)
    return per_rank, [domain_of(nearest_side(number, per_rank), number, log2_box_dim) for number in ranks]
