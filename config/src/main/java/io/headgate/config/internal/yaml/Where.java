package io.headgate.config.internal.yaml;

import org.snakeyaml.engine.v2.exceptions.Mark;

/** A spot in a file, as people count: line and column from 1, and the keys that lead to it. */
public record Where(int line, int column, String path) implements Comparable<Where> {

    public static final Where START = new Where(1, 1, "");

    /** A property, which has a name but no line; a name that would blur an error is put in quotes. */
    public static Where ofProperty(String name) {
        return new Where(0, 0, Quoted.value(name));
    }

    /** Whether this is a property, or all of them. */
    boolean isProperty() {
        return line == 0;
    }

    /** The spot of a mark of the parser, which counts from 0. */
    public static Where of(Mark mark, String path) {
        return new Where(mark.getLine() + 1, mark.getColumn() + 1, path);
    }

    /** The path of a key below {@code path}; a key that would blur the path is put in quotes. */
    public static String below(String path, String key) {
        return path.isEmpty() ? Quoted.name(key) : path + "." + Quoted.name(key);
    }

    /** By position. */
    @Override
    public int compareTo(Where other) {
        return line != other.line ? Integer.compare(line, other.line) : Integer.compare(column, other.column);
    }

    /** Says {@code problem} about this spot. */
    public String says(String problem) {
        String place = isProperty() ? "" : line + ":" + column + ": ";
        return path.isEmpty() ? place + problem : place + path + ": " + problem;
    }
}
