package io.headgate.config.internal.yaml;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The entries of a mapping with known keys. Records a problem for each unknown key, and for each required one that is missing. */
public final class Fields {

    private final Where owner;
    private final Map<String, Yaml.Entry> entries;

    /** The known keys that unknown ones are probably misspellings of; their absence is not a further problem. */
    private final Set<String> excused;

    private final Problems problems;

    private Fields(Where owner, Map<String, Yaml.Entry> entries, Set<String> excused, Problems problems) {
        this.owner = owner;
        this.entries = entries;
        this.excused = excused;
        this.problems = problems;
    }

    /** Returns the fields of the value of {@code owner}. */
    public static Fields of(Yaml.Entry owner, List<String> allowed, Problems problems) {
        if (!(owner.value() instanceof Yaml.Mapping mapping)) {
            problems.wrongKind(owner.value(), "a mapping with " + String.join(", ", allowed));
            return new Fields(owner.key(), Map.of(), Set.copyOf(allowed), problems);
        }
        Set<String> excused = new HashSet<>();
        mapping.entries().forEach((key, entry) -> {
            if (!allowed.contains(key)) {
                Optional<String> meant = NearMiss.of(key, allowed);
                meant.ifPresent(excused::add);
                problems.add(
                        shown(entry.key(), owner.key(), meant.isPresent() || !problems.isSecret()),
                        "unknown key" + NearMiss.hint(meant, allowed));
            }
        });
        return new Fields(owner.key(), mapping.entries(), excused, problems);
    }

    /** Returns the position of an unknown key. A key that may be a part of a secret is not shown, unless it is probably a misspelling. */
    private static Where shown(Where key, Where owner, boolean withName) {
        return withName || key.isProperty()
                ? key
                : new Where(key.line(), key.column(), Where.below(owner.path(), "..."));
    }

    /** Returns the field with this key, if it exists. */
    public Optional<Yaml.Entry> optional(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    private enum YesOrNo {
        TRUE,
        FALSE
    }

    /** Whether the field with this key exists and is {@code true}. Records a problem if it is neither {@code true} nor {@code false}. */
    public boolean isTrue(String key) {
        Yaml.Entry entry = entries.get(key);
        return entry != null && Choices.read(entry.value(), YesOrNo.values(), problems) == YesOrNo.TRUE;
    }

    /**
     * Returns the field with this key. If it is missing, returns a {@link Yaml.Refused} value and records a problem, unless an unknown
     * key is probably a misspelling of it.
     */
    public Yaml.Entry required(String key) {
        Yaml.Entry entry = entries.get(key);
        if (entry != null) {
            return entry;
        }
        noteMissing(List.of(key), key + " is missing");
        return new Yaml.Entry(owner, new Yaml.Refused(owner));
    }

    /** Records that none of {@code keys} exists, unless an unknown key is probably a misspelling of one of them. */
    public void noteMissing(List<String> keys, String problem) {
        if (keys.stream().noneMatch(excused::contains)) {
            problems.add(owner, problem);
        }
    }
}
