package io.headgate.server.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A table for a terminal. Each column is as wide as its longest cell; numbers are right-aligned. */
public final class Table {

    private final List<Boolean> right = new ArrayList<>();
    private final List<String> head = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** Adds a column of words. */
    public Table words(String name) {
        return column(name, false);
    }

    /** Adds a column of numbers. */
    public Table numbers(String name) {
        return column(name, true);
    }

    private Table column(String name, boolean atTheRight) {
        head.add(name);
        right.add(atTheRight);
        return this;
    }

    /** Adds a row with one cell for each column. */
    public void row(Object... cells) {
        if (cells.length != head.size()) {
            throw new IllegalArgumentException("a row must have " + head.size() + " cells, had " + cells.length);
        }
        rows.add(List.of(cells).stream().map(String::valueOf).toList());
    }

    /** The header and the rows. */
    public List<String> lines() {
        List<List<String>> all = new ArrayList<>(List.of(head));
        all.addAll(rows);
        int[] widths = IntStream.range(0, head.size())
                .map(column -> all.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return all.stream().map(row -> line(row, widths)).toList();
    }

    private String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = row.get(column);
            String blanks = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : "  ").append(right.get(column) ? blanks + cell : cell + blanks);
        }
        return line.toString().stripTrailing();
    }
}
