# SPDX-License-Identifier: BSD-3-Clause
"""The figures of scaling studies, from the rows of results.csv and levels.csv."""
import os

from drawing import LINES, draw_sizes, legend, save_figure, stack
from study import grouped

UNEVEN = 1.02  # a fullest rank with this many times the mean number of unknowns is shown
MOVING = ("halo", "redistribution", "hand-over")
LEVEL_STYLES = {
    "0": ("finest level", "#1f4e79", ""),
    "1": ("second level", "#2e75b6", "////"),
    "2": ("third level", "#9dc3e6", ""),
    "rest": ("coarser levels", "#deebf7", "...."),
    "halo 0": ("halo, finest level", "#8a0000", "----"),
    "halo": ("halo, other levels", "#e08080", "\\\\\\\\"),
    "moves": ("redistribution,\nhand-over", "#a9d18e", "xxxx"),
}


def size_label(row):
    """As it was asked for."""
    side = 2 ** row["log2_box_dim"]
    if row["kind"] == "weak":
        return f"order {row['order']}, {row['boxes']} × {side}³ per rank"
    return f"order {row['order']}, {row['boxes']}³ × {side}³"


def transport_of(row):
    """As it was asked for; "" is the program's choice."""
    return row.get("asked") or ""


def series_label(row):
    return size_label(row) + (f", {transport_of(row)}" if transport_of(row) else "")


def finest(rows, kind, label):
    """Rows of size h by label(row)."""
    return grouped((row for row in rows if row["kind"] == kind and row["level"] == "h"), label)


def millions(number):
    return f"{number / 1e6:.4g} M" if number >= 1e6 else f"{number:.0f}"


def is_noisy(row):
    """Its time, or that of the run with which it is compared. Tables of before schema 2 do not tell."""
    return row.get("noisy", "no") != "no"


def seconds_of(row):
    """The median; of older tables the mean."""
    return row.get("median_seconds") or row["seconds_per_solve"]


def is_even(row):
    return row["dof_fullest_rank"] <= UNEVEN * row["dof_per_rank"]


def compared_note(rows):
    """What efficiency compares with, what times are, and which ranks do not have the same."""
    words = ["Compared with the series' run on the fewest ranks: speed-up is the ratio of DOF/s, efficiency that of DOF/s per rank."]
    if any("median_seconds" not in row for row in rows):
        words.append("Rates are by mean times, whose spread is not recorded.")
    else:
        words.append("Rates are by median times; spread is the distance between their quartiles over the median.")
    if any(map(is_noisy, rows)):
        words.append("* Noisy, or compared with a noisy run (spread or drift of the times above 10 %): no result.")
    uneven = sorted({(row["ranks"], round(100 * (row["dof_fullest_rank"] / row["dof_per_rank"] - 1)))
                     for row in rows if not is_even(row)})
    if uneven:
        words.append("Uneven: " + ", ".join(f"the fullest of {ranks} ranks has {more} % above the mean"
                                            for ranks, more in uneven) + ".")
    return "\n".join(words)


def machine_of(rows):
    """GPUs and days of the runs, for a title."""
    words = [", ".join(sorted({row[key] for row in rows if row.get(key)})) for key in ("gpu", "date")]
    return "".join(f", {word}" for word in words if word)


def ranks_axis(axes, line):
    ranks = [row["ranks"] for row in line]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, [str(number) for number in ranks])
    axes.minorticks_off()
    axes.margins(x=0.2)


def draw_line(axes, line, values, style):
    """Hollow markers have noisy times or uneven ranks. Vertical bars are as long as the spread of the times."""
    colour, marker, dash = style
    axes.plot([row["ranks"] for row in line], values, dash, color=colour, linewidth=1.2)
    for row, value in zip(line, values):
        full = is_even(row) and not is_noisy(row)
        if row.get("spread"):
            axes.errorbar(row["ranks"], value, 0.5 * value * row["spread"], color=colour, linewidth=1.0, capsize=3)
        axes.plot(row["ranks"], value, marker, color=colour, markerfacecolor=colour if full else "white", markersize=6)


def words_at_points(axes, line, values, words):
    """words(row, value) at each point, above or below it."""
    for row, value in zip(line, values):
        above = value < 0.4 * max(values)  # where there is room
        axes.annotate(words(row, value), (row["ranks"], value), (0, 9 if above else -9), textcoords="offset points",
                      ha="center", va="bottom" if above else "top", fontsize="x-small",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8})


def rate_per_rank(row):
    return row["dof_per_second"] / row["ranks"]


class Weak:
    kind, title, axis = "weak", "Weak scaling", "DOF/s per rank, % of the first run"
    at_points, ideal = "At the points: efficiency, below it unknowns per rank.", ""

    @staticmethod
    def values(line):
        return [100 * rate_per_rank(row) / rate_per_rank(line[0]) for row in line]

    @staticmethod
    def words(row, value):
        return f"{value:.1f} %{'*' if is_noisy(row) else ''}\n{millions(row['dof_per_rank'])}"

    @staticmethod
    def frame(axes, _, values):
        """Draws what is ideal. Returns the limits of the axis."""
        axes.axhline(100, color="grey", linewidth=0.8)
        return 0, max(115, 1.1 * max(values))


class Strong:
    kind, title, axis = "strong", "Strong scaling", "speed-up"
    at_points, ideal = "At the points: speed-up and efficiency.", "Grey: ideal."

    @staticmethod
    def values(line):
        return [row["speedup"] for row in line]

    @staticmethod
    def words(row, value):
        return f"{value:.2f}{'*' if is_noisy(row) else ''}\n{100 * row['efficiency']:.1f} %"

    @staticmethod
    def frame(axes, ranks, values):
        """Draws what is ideal. Returns the limits of the axis."""
        axes.plot(ranks, [number / ranks[0] for number in ranks], color="grey", linewidth=0.8)
        axes.set_yscale("log", base=2)
        ticks = [step * 2.0**power for power in range(-1, 12) for step in (1, 1.5)]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        return 0.9 * min(values), 1.2 * max(*values, ranks[-1] / ranks[0])


def draw_panel(axes, scaling, lines, styles):
    """A line per transport. If there is only one, words at the points, else those of its last point in the title. Returns the
    limits of the axis."""
    values = {transport: scaling.values(line) for transport, line in lines.items()}
    for transport, line in lines.items():
        draw_line(axes, line, values[transport], styles[transport])
        if len(styles) == 1:
            words_at_points(axes, line, values[transport], scaling.words)
    longest = max(lines.values(), key=len)
    ranks_axis(axes, longest)
    ends = [f"{transport or 'auto'} {scaling.words(line[-1], values[transport][-1]).splitlines()[0]}"
            for transport, line in lines.items() if len(styles) > 1]
    title = size_label(longest[0]) + (f"\n{longest[-1]['ranks']} ranks: {', '.join(ends)}" if ends else "")
    axes.set_title(title, fontsize="small" if not ends else "x-small")
    axes.set_xlabel("ranks")
    axes.grid(True, which="major", alpha=0.3)
    return scaling.frame(axes, [row["ranks"] for row in longest], [value for some in values.values() for value in some])


def add_words(plt, figure, axes, scaling, rows, styles):
    """Title, axis and notes; a legend in these axes if there are several transports."""
    axes.set_ylabel(scaling.axis)
    figure.suptitle(f"{scaling.title}{machine_of(rows)}", x=0.02, ha="left")
    notes = [scaling.at_points] if len(styles) == 1 else []
    notes += [scaling.ideal] if scaling.ideal else []
    if len(styles) > 1:
        handles = [plt.Line2D([], [], color=colour, marker=marker, linestyle=dash) for colour, marker, dash in styles.values()]
        axes.legend(handles, [transport or "auto" for transport in styles], fontsize="x-small")
    notes += ["Vertical bars: spread."] if any(row.get("spread") for row in rows) else []
    words = compared_note(rows).replace("* Noisy", "* or hollow: noisy")
    figure.text(0.02, -0.01, f"{' '.join(notes)}\n{words}".lstrip(), va="top", fontsize="small")


def draw_series(plt, rows, path, scaling):
    """A panel per order and size."""
    sizes = finest(rows, scaling.kind, size_label).values()
    shown = [row for size in sizes for row in size]
    styles = dict(zip(grouped(shown, transport_of), LINES))
    height = -(-len(sizes) // 4)
    columns = -(-len(sizes) // height)
    # Words at neighbouring points, or titles, must not meet.
    width = max(2.7 if len(styles) == 1 else 3.2, 0.8 * len({row["ranks"] for row in shown}))
    figure, panels = plt.subplots(height, columns, figsize=(1 + width * columns, 0.7 + 3 * height), squeeze=False, sharey=True)
    limits = [draw_panel(axes, scaling, grouped(size, transport_of), styles) for axes, size in zip(panels.flat, sizes)]
    for axes in list(panels.flat)[len(sizes):]:
        axes.set_visible(False)
    panels[0][0].set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    add_words(plt, figure, panels[0][0], scaling, shown, styles)
    save_figure(plt, figure, path)


def level_part(row):
    if row["work"] == "halo":
        return "halo 0" if row["level"] == 0 else "halo"
    if row["work"] in MOVING:
        return "moves"
    return str(row["level"]) if row["level"] < 3 else "rest"


def parts_by_ranks(levels):
    """By series and ranks: the nanoseconds of a rank per unknown of each part of a bar."""
    series = {}
    for row in levels:
        parts = series.setdefault((row["kind"], series_label(row)), {}).setdefault(row["ranks"], {})
        parts[level_part(row)] = parts.get(level_part(row), 0.0) + 1e9 * row["seconds"] * row["ranks"] / row["dof"]
    return series


def level_panel(axes, bars, line):
    """bars by ranks; line: the rows of the series' untimed solves, whose times the black lines are."""
    ranks = sorted(bars)
    solves = {row["ranks"]: 1e9 * seconds_of(row) * row["ranks"] / row["dof"] for row in line}
    stack(axes, range(len(ranks)), [bars[number] for number in ranks], LEVEL_STYLES, width=0.6)
    for place, number in enumerate(ranks):
        axes.plot([place - 0.38, place + 0.38], [solves[number]] * 2, color="black", linewidth=2.5)
    axes.set_xticks(range(len(ranks)), [f"{number} rank{'s' if number > 1 else ''}\nsolve {solves[number]:.3g}\n"
                                        f"stages {sum(bars[number].values()):.3g}" for number in ranks], fontsize="small")
    axes.grid(True, axis="y", alpha=0.3)


def draw_scaling_levels(plt, levels, rows, path):
    """One panel per series: the time of a rank per unknown, which is constant if scaling is ideal."""
    series = parts_by_ranks(levels)
    columns = min(2, len(series))
    lines = -(-len(series) // columns)
    figure, panels = plt.subplots(lines, columns, figsize=(3 + 4 * columns, 1 + 3.1 * lines), squeeze=False)
    for axes, ((kind, label), bars) in zip(panels.flat, series.items()):
        level_panel(axes, bars, finest(rows, kind, series_label)[label])
        axes.set_title(f"{kind}: {label}", fontsize="medium")
    for axes in panels[:, 0]:
        axes.set_ylabel("rank-ns per unknown")
    for axes in list(panels.flat)[len(series):]:
        axes.set_visible(False)
    figure.suptitle("Stages timed one by one (bars), and the solve itself (black lines)", x=0.02, y=0.995, ha="left")
    used = {level_part(row) for row in levels}
    entries = [style for key, style in reversed(LEVEL_STYLES.items()) if key in used]
    legend(plt, panels[0][-1], [*entries, ("the solve, whose stages\nare not timed", "black", "")])
    save_figure(plt, figure, path)


def draw_scaling(plt, rows, levels, directory):
    """All figures of a study."""
    kinds = {row["kind"] for row in rows}
    for scaling in (Weak, Strong):
        if scaling.kind in kinds:
            draw_series(plt, rows, os.path.join(directory, f"{scaling.kind}.png"), scaling)
    transports = [{**row, "where": transport_of(row) if row["ranks"] > 1 else ""} for row in rows]
    draw_sizes(plt, transports, os.path.join(directory, "sizes.png"))
    if levels:
        draw_scaling_levels(plt, levels, rows, os.path.join(directory, "levels.png"))
