package io.headgate.config.internal.yaml;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.SpecVersion;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;

/**
 * Reads a YAML text into a tree, and rejects features of YAML that a policy file does not need: aliases, anchors, tags, keys that are
 * not strings, duplicate keys, and a second document.
 *
 * <p>It uses the events of the parser instead of the library's composer, which recurses as deep as the text is nested, resolves
 * aliases, and does not provide the path of a key. It stops reading at a depth of more than {@value #MAX_DEPTH}, because the time and
 * memory of the parser, and the stack of this class, grow with the depth.
 */
public final class YamlReader {

    /** The maximum depth of nested collections. */
    public static final int MAX_DEPTH = 16;

    private static final String MERGE_KEY = "<<";

    /** The text to which the parser expands {@code !!}. */
    private static final String STANDARD_TAGS = "tag:yaml.org,2002:";

    private final Iterator<Event> events;
    private final Problems problems;

    private YamlReader(Iterator<Event> events, Problems problems) {
        this.events = events;
        this.problems = problems;
    }

    /**
     * Reads the only document of a text.
     *
     * @param root the key with which the document must begin, for errors
     */
    public static Yaml read(String text, String root, Problems problems) {
        LoadSettings settings = LoadSettings.builder()
                // Accepts any version here, because requireVersion1 checks it.
                .setVersionFunction(anyVersion -> anyVersion)
                // The parser copies its lookahead for each buffer, so the text is read into a single one.
                .setBufferSize(text.length() + 1)
                .build();
        return new YamlReader(new Parse(settings).parseString(text).iterator(), problems).document(root);
    }

    private Yaml document(String rootKey) {
        next(Where.START); // the start of the stream
        if (!(next(Where.START) instanceof DocumentStartEvent document)) {
            throw problems.stop(Where.START, "is empty; it must begin with " + rootKey + ":");
        }
        document.getSpecVersion().ifPresent(version -> requireVersion1(document, version));
        Yaml root = node(next(Where.START), "", 1);
        next(root.where()); // the end of the document
        if (next(root.where()) instanceof DocumentStartEvent second) {
            problems.add(whereOf(second, ""), "begins a second document; a file holds one");
        }
        return root;
    }

    private void requireVersion1(Event document, SpecVersion version) {
        if (version.getMajor() != 1) {
            throw problems.stop(
                    whereOf(document, ""),
                    "is YAML " + version.getMajor() + "." + version.getMinor() + ", must be 1.2");
        }
    }

    private Yaml node(Event event, String path, int depth) {
        Where where = whereOf(event, path);
        refuseAnchorAndTag(event, where);
        if (event instanceof ScalarEvent scalar) {
            return isNull(scalar) ? new Yaml.Empty(where) : new Yaml.Scalar(where, scalar.getValue());
        }
        if (event instanceof AliasEvent alias) {
            problems.add(
                    where,
                    "aliases" + suchAs("*" + alias.getAlias().getValue()) + " are not allowed; write the value here"
                            + quotesHint());
            return new Yaml.Refused(where);
        }
        if (depth > MAX_DEPTH) {
            throw problems.stop(where, "is nested deeper than " + MAX_DEPTH + " levels");
        }
        return event.getEventId() == Event.ID.MappingStart ? mapping(where, depth) : sequence(where, depth);
    }

    private Yaml sequence(Where where, int depth) {
        List<Yaml> items = new ArrayList<>();
        for (Event event = next(where); event.getEventId() != Event.ID.SequenceEnd; event = next(where)) {
            items.add(node(event, where.path() + "[" + items.size() + "]", depth + 1));
        }
        return new Yaml.Sequence(where, items);
    }

    private Yaml mapping(Where where, int depth) {
        Map<String, Yaml.Entry> entries = new LinkedHashMap<>();
        for (Event event = next(where); event.getEventId() != Event.ID.MappingEnd; event = next(where)) {
            if (event instanceof ScalarEvent key) {
                refuseAnchorAndTag(key, whereOf(key, where.path()));
                addEntry(entries, key, where.path(), depth);
            } else {
                Where keyWhere = node(event, where.path(), depth + 1).where();
                problems.add(keyWhere, "a key must be a string");
                // Skips the value.
                node(next(keyWhere), where.path(), depth + 1);
            }
        }
        return new Yaml.Mapping(where, entries);
    }

    private void addEntry(Map<String, Yaml.Entry> entries, ScalarEvent key, String path, int depth) {
        String name = key.getValue();
        Where where = whereOf(key, problems.below(path, name));
        if (key.isPlain() && name.equals(MERGE_KEY)) {
            problems.add(where, "merge keys are not allowed; write the values here");
            node(next(where), where.path(), depth + 1);
            return;
        }
        Yaml value = node(next(where), where.path(), depth + 1);
        Yaml.Entry first = entries.putIfAbsent(name, new Yaml.Entry(where, value));
        if (first != null) {
            problems.add(
                    where,
                    "is a second " + (problems.isSecret() ? "one" : Quoted.value(name)) + "; the first is in line "
                            + first.key().line());
        }
    }

    private void refuseAnchorAndTag(Event event, Where where) {
        if (event instanceof AliasEvent || !(event instanceof NodeEvent node)) {
            return;
        }
        Optional<Anchor> anchor = node.getAnchor();
        if (anchor.isPresent()) {
            problems.add(
                    where,
                    "anchors" + suchAs("&" + anchor.get().getValue())
                            + " are not allowed; write each value where it belongs" + quotesHint());
        }
        tagOf(node).ifPresent(tag -> {
            String written = tag.startsWith(STANDARD_TAGS) ? "!!" + tag.substring(STANDARD_TAGS.length()) : tag;
            problems.add(where, "tags" + suchAs(written) + " are not allowed; remove it" + quotesHint());
        });
    }

    private String suchAs(String text) {
        return problems.isSecret() ? "" : " such as " + Quoted.message(text);
    }

    /**
     * Returns a hint for a source with secrets: a password that begins with a special character looks like an alias, an anchor or a tag.
     */
    private String quotesHint() {
        return problems.isSecret() ? "; put a text that begins so in quotes" : "";
    }

    private static Optional<String> tagOf(NodeEvent node) {
        if (node instanceof ScalarEvent scalar) {
            return scalar.getTag();
        }
        return node instanceof CollectionStartEvent collection ? collection.getTag() : Optional.empty();
    }

    private static boolean isNull(ScalarEvent scalar) {
        return scalar.isPlain()
                && switch (scalar.getValue()) {
                    case "", "~", "null", "Null", "NULL" -> true;
                    default -> false;
                };
    }

    private Event next(Where last) {
        try {
            return events.next();
        } catch (RuntimeException e) {
            // The parser mostly throws its own exception, but for example "\UFFFFFFFF" causes a NumberFormatException.
            throw YamlSyntax.problemOf(e, last, problems);
        }
    }

    private static Where whereOf(Event event, String path) {
        return event.getStartMark().map(mark -> Where.of(mark, path)).orElse(new Where(1, 1, path));
    }
}
