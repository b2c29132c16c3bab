package io.headgate.bench.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A table of text; each column is as wide as its widest cell. */
public final class TextTable {

    private static final String BETWEEN = "  ";

    private final int leftColumns;
    private final List<List<String>> rows = new ArrayList<>();

    /** Creates a table with these headings: first columns of words, aligned left, then columns of numbers, aligned right. */
    public TextTable(List<String> words, List<String> numbers) {
        leftColumns = words.size();
        rows.add(Stream.concat(words.stream(), numbers.stream()).toList());
    }

    public void add(List<String> row) {
        rows.add(List.copyOf(row));
    }

    public void print(PrintWriter out) {
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                String space = " ".repeat(width(column) - row.get(column).length());
                String cell = row.get(column);
                line.append(BETWEEN).append(column < leftColumns ? cell + space : space + cell);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }

    /** Formats numbers for people: with two decimals at most, and with spaces between thousands. */
    public static final class Numbers {

        private static final int WHOLE_FROM = 1000;

        private Numbers() {}

        /** Formats a cell of a table: whole numbers and those from 100 on without decimals, from 10 on with one, others with two. */
        public static String cell(double value) {
            double size = Math.abs(value);
            String format = size == Math.rint(size) || size >= 100 ? "%,.0f" : size >= 10 ? "%,.1f" : "%,.2f";
            return text(format, value);
        }

        /** Formats a target figure: large and whole numbers without decimals, others with two. */
        static String figure(double value) {
            return text(Math.abs(value) >= WHOLE_FROM || value == Math.rint(value) ? "%,.0f" : "%,.2f", value);
        }

        private static String text(String format, double value) {
            return String.format(Locale.ROOT, format, value).replace(',', ' ');
        }
    }
}
