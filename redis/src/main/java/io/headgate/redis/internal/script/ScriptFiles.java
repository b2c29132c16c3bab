package io.headgate.redis.internal.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads the Lua files of a folder and joins them: a line {@code -- @include name} is replaced by the part of that name, which is a
 * file or one that the caller gives. Comments and indentation stay behind.
 */
public final class ScriptFiles {

    private static final String INCLUDE = "-- @include ";

    private final String folder;

    private ScriptFiles(String folder) {
        this.folder = folder;
    }

    /**
     * The files of a folder.
     *
     * @param folder its name in {@code io/headgate/redis}, for example {@code limits}
     */
    public static ScriptFiles in(String folder) {
        return new ScriptFiles("/io/headgate/redis/" + folder + "/");
    }

    /** The file {@code name.lua} as it stands. */
    public String read(String name) {
        try (InputStream file = ScriptFiles.class.getResourceAsStream(folder + name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("no script " + folder + name + ".lua");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text with all that it includes, in which the given parts come before files. */
    public String join(String text, Map<String, String> parts) {
        return text.lines()
                .map(String::strip)
                .map(line -> line.startsWith(INCLUDE) ? part(line.substring(INCLUDE.length()), parts) : line)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    /** The script {@code name.lua}, joined with all that it includes. */
    public Script script(String name, Map<String, String> parts) {
        return Script.of(name, join(read(name), parts));
    }

    /** The same, under another name, which messages have. */
    public Script script(String file, String name, Map<String, String> parts) {
        return Script.of(name, join(read(file), parts));
    }

    private String part(String name, Map<String, String> parts) {
        String given = parts.get(name);
        return join(given == null ? read(name) : given, parts);
    }
}
