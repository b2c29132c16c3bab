package io.headgate.config.internal.yaml;

import org.snakeyaml.engine.v2.exceptions.Mark;

/**
 * A position in a source, for error messages.
 *
 * @param line counted from 1; 0 for a property
 * @param column counted from 1; 0 for a property
 * @param path the path of keys
 * @param origin where a property is set; may be empty
 */
public record Where(int line, int column, String path, String origin) implements Comparable<Where> {

    /** The start of a source, for problems without a position of their own. */
    public static final Where START = new Where(1, 1, "");

    /** Creates a position in a file. */
    public Where(int line, int column, String path) {
        this(line, column, path, "");
    }

    /** Returns the position of a property at a path of keys, which is set at {@code origin}. */
    public static Where ofProperty(String path, String origin) {
        return new Where(0, 0, path, Quoted.message(origin));
    }

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

    /** Returns the position as a part of a sentence: {@code in line 7} or {@code at policies.api}. */
    public String reference() {
        return isProperty() ? "at " + path : "in line " + line;
    }

    /** Returns the message for {@code problem} at this position. */
    public String message(String problem) {
        String place = isProperty() ? "" : line + ":" + column + ": ";
        String named = origin.isEmpty() ? path : path + " (" + origin + ")";
        return named.isEmpty() ? place + problem : place + named + ": " + problem;
    }
}
