package io.headgate.config.internal.yaml;

import org.snakeyaml.engine.v2.exceptions.Mark;

/** A position in a source, for error messages: line and column, counted from 1, and the path of keys. The line of a property is 0. */
public record Where(int line, int column, String path) implements Comparable<Where> {

    /** The start of a source, for problems without a position of their own. */
    public static final Where START = new Where(1, 1, "");

    /** Returns the position of a property, which has a name but no line; an ambiguous name is quoted. */
    public static Where ofProperty(String name) {
        return new Where(0, 0, Quoted.value(name));
    }

    /** Whether this is the position of a property, or of all properties. */
    boolean isProperty() {
        return line == 0;
    }

    /** Returns the position of a mark of the parser, which counts from 0. */
    public static Where of(Mark mark, String path) {
        return new Where(mark.getLine() + 1, mark.getColumn() + 1, path);
    }

    /** Returns the path of a key below {@code path}; an ambiguous key is quoted. */
    public static String below(String path, String key) {
        return path.isEmpty() ? Quoted.name(key) : path + "." + Quoted.name(key);
    }

    /** Compares the lines, then the columns. */
    @Override
    public int compareTo(Where other) {
        return line != other.line ? Integer.compare(line, other.line) : Integer.compare(column, other.column);
    }

    /** Returns the message for {@code problem} at this position. */
    public String message(String problem) {
        String place = isProperty() ? "" : line + ":" + column + ": ";
        return path.isEmpty() ? place + problem : place + path + ": " + problem;
    }
}
