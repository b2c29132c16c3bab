package io.headgate.redis.internal.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads the Lua files of a folder and joins their sections to scripts. A line {@code -- @section name} begins a section. A line
 * {@code -- @include name} is replaced by the section of that name, or by a part that the caller passes under it. Comments and
 * indentation are removed.
 *
 * <p>Immutable, and so safe for use by any number of threads.
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
     * @param folder its name in {@code io/headgate/redis}, for example {@code limits}
     * @param files their names, without {@code .lua}
     * @throws IllegalStateException if a file does not exist, or two sections have the same name
     */
    public static ScriptFiles in(String folder, String... files) {
        Map<String, String> sections = new HashMap<>();
        for (String file : files) {
            String path = "/io/headgate/redis/" + folder + "/" + file + ".lua";
            // What comes before the first section says what the file is for.
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
     * The text of a section, with its comments and includes.
     *
     * @throws IllegalStateException if there is none of that name
     */
    public String section(String name) {
        String text = sections.get(name);
        if (text == null) {
            throw new IllegalStateException("no section " + name + " in the scripts of " + folder);
        }
        return text;
    }

    /** The text with all that it includes; the given parts come before sections of the same name. */
    public String join(String text, Map<String, String> parts) {
        return text.lines()
                .map(String::strip)
                .map(line -> line.startsWith(INCLUDE) ? part(line.substring(INCLUDE.length()), parts) : line)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    /** The script that begins with the section of that name, joined with all that it includes. */
    public Script script(String name, Map<String, String> parts) {
        return Script.of(name, join(section(name), parts));
    }

    /**
     * The same, under another name.
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
