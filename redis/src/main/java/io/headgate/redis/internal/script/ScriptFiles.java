package io.headgate.redis.internal.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads the Lua files of a folder and assembles scripts from their sections. A line {@code -- @section name} starts a
 * section. A line {@code -- @include name} is replaced by the section of that name, or by a part that the caller passes
 * under that name. Comments and indentation are removed.
 *
 * <p>Immutable and thread-safe.
 */
public final class ScriptFiles {

    private static final String SECTION = "-- @section ";
    private static final String INCLUDE = "-- @include ";

    private final String folder;
    private final Map<String, String> sections;

    private ScriptFiles(String folder, Map<String, String> sections) {
        this.folder = folder;
        this.sections = sections;
    }

    /**
     * Reads files of a folder.
     *
     * @param folder the folder in {@code io/headgate/redis}, for example {@code limits}
     * @param files the names of the files, without {@code .lua}
     * @throws IllegalStateException if a file does not exist, or two sections have the same name
     */
    public static ScriptFiles in(String folder, String... files) {
        Map<String, String> sections = new HashMap<>();
        for (String file : files) {
            String path = "/io/headgate/redis/" + folder + "/" + file + ".lua";
            // The text before the first section is the header comment.
            String[] texts = read(path).split("(?m)^" + SECTION);
            for (int i = 1; i < texts.length; i++) {
                int end = texts[i].indexOf('\n');
                String name = texts[i].substring(0, end);
                if (sections.put(name, texts[i].substring(end + 1)) != null) {
                    throw new IllegalStateException("a second section " + name + " in " + path);
                }
            }
        }
        return new ScriptFiles(folder, Map.copyOf(sections));
    }

    private static String read(String path) {
        try (InputStream file = ScriptFiles.class.getResourceAsStream(path)) {
            if (file == null) {
                throw new IllegalStateException("no script " + path);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The source of a section, with its comments and unresolved includes.
     *
     * @throws IllegalStateException if no section has that name
     */
    public String section(String name) {
        String text = sections.get(name);
        if (text == null) {
            throw new IllegalStateException("no section " + name + " in the scripts of " + folder);
        }
        return text;
    }

    /** Resolves the includes of a text. The given parts take precedence over sections of the same name. */
    public String join(String text, Map<String, String> parts) {
        return text.lines()
                .map(String::strip)
                .map(line -> line.startsWith(INCLUDE) ? part(line.substring(INCLUDE.length()), parts) : line)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    /** Assembles the script that starts with the section of that name. */
    public Script script(String name, Map<String, String> parts) {
        return Script.of(name, join(section(name), parts));
    }

    /**
     * Assembles the script that starts with a section, under another name.
     *
     * @param name the name of the script in messages
     */
    public Script script(String section, String name, Map<String, String> parts) {
        return Script.of(name, join(section(section), parts));
    }

    private String part(String name, Map<String, String> parts) {
        String given = parts.get(name);
        return join(given == null ? section(name) : given, parts);
    }
}
