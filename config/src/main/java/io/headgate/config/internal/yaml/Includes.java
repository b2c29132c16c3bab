package io.headgate.config.internal.yaml;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads which further files a local file includes. */
public final class Includes {

    /** The key with the list of files. */
    public static final String KEY = "include";

    /** The key with the policies, which follows. */
    public static final String POLICIES = "policies";

    private static final int MAX = 100;
    private static final int MAX_LENGTH = 1024;

    /** A scheme has at least two letters, as one letter is a drive. */
    private static final Pattern URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*", Pattern.DOTALL);

    private Includes() {}

    /**
     * A file to include.
     *
     * @param where the position of its path
     * @param path relative to the including file, or absolute
     */
    public record Include(Where where, String path) {}

    /** Returns the valid paths among the includes of a file. Records a problem for each other one. */
    public static List<Include> read(Yaml root, Problems problems) {
        Optional<Yaml> given = Optional.of(root)
                .filter(Yaml.Mapping.class::isInstance)
                .map(Yaml.Mapping.class::cast)
                .map(Yaml.Mapping::entries)
                .map((Map<String, Yaml.Entry> entries) -> entries.get(KEY))
                .map(Yaml.Entry::value);
        if (given.isEmpty()) {
            return List.of();
        }
        if (!(given.get() instanceof Yaml.Sequence list)
                || list.items().isEmpty()
                || list.items().size() > MAX) {
            problems.wrong(given.get(), "a list of 1 to " + MAX + " paths of files, such as [limits/partners.yaml]");
            return List.of();
        }
        List<Include> includes = new ArrayList<>();
        for (Yaml item : list.items()) {
            if (item instanceof Yaml.Scalar scalar && isPath(scalar.text())) {
                includes.add(new Include(scalar.where(), scalar.text()));
            } else {
                problems.wrong(
                        item,
                        "the path of a file, relative to this one or absolute, without variables; URLs are not included");
            }
        }
        return includes;
    }

    /** Records that a text that is no local file has includes. */
    public static void refuse(Yaml.Entry include, Problems problems) {
        problems.add(
                include.key(),
                "includes are for local files only; remove it, and write the policies of those files as further texts");
    }

    private static boolean isPath(String text) {
        return !text.isBlank()
                && text.length() <= MAX_LENGTH
                && text.indexOf('\0') < 0
                && !text.contains("${")
                && !URL.matcher(text).matches();
    }
}
