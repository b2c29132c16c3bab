package io.headgate.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads the Lua files and joins them: a line {@code -- @include name} is replaced by the part of that name, which is a
 * file or one that the caller gives. Comments and indentation stay behind.
 */
final class ScriptFile {

    private static final String INCLUDE = "-- @include ";

    private ScriptFile() {}

    /** The file {@code name.lua} as it stands. */
    static String read(String name) {
        try (InputStream file = ScriptFile.class.getResourceAsStream(name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("no script " + name + ".lua beside " + ScriptFile.class);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text with all that it includes, in which the given parts come before files. */
    static String join(String text, Map<String, String> parts) {
        return text.lines()
                .map(String::strip)
                .map(line -> line.startsWith(INCLUDE) ? part(line.substring(INCLUDE.length()), parts) : line)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    private static String part(String name, Map<String, String> parts) {
        String given = parts.get(name);
        return join(given == null ? read(name) : given, parts);
    }
}
