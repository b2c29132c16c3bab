package io.headgate.config.internal.yaml;

import org.snakeyaml.engine.v2.exceptions.Mark;

/** A spot in a file, as people count: line and column from 1, and the keys that lead to it. */
public record Where(int line, int column, String path) implements Comparable<Where> {

    public static final Where START = new Where(1, 1, "");

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
        String place = line + ":" + column + ": ";
        return path.isEmpty() ? place + problem : place + path + ": " + problem;
    }
}
