package io.headgate.server.operators;

import io.headgate.server.text.Quoted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.resolver.FailsafeScalarResolver;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/** The operators of one version of a file, with the hashes of their tokens. Immutable. */
public final class Operators {

    /** The maximum number of entries. Each call compares its token with all of them. */
    static final int MAX_ENTRIES = 1000;

    private static final String ROOT = "operators";
    private static final List<String> KEYS = List.of("name", "role", "sha256");

    /** No operators. */
    static final Operators NONE = new Operators(Map.of(), Map.of());

    private final Map<String, Operator> byName;
    private final Map<TokenHash, Operator> byToken;

    private Operators(Map<String, Operator> byName, Map<TokenHash, Operator> byToken) {
        this.byName = Map.copyOf(byName);
        this.byToken = Map.copyOf(byToken);
    }

    /** Finds the operator with this token. Takes the same time for all tokens: it compares the hash with those of all operators. */
    public Optional<Operator> withToken(String token) {
        TokenHash given = TokenHash.of(token);
        Optional<Operator> found = Optional.empty();
        for (Map.Entry<TokenHash, Operator> entry : byToken.entrySet()) {
            if (entry.getKey().equals(given)) {
                found = Optional.of(entry.getValue());
            }
        }
        return found;
    }

    /** Finds an operator whom something else than a token identifies. */
    public Optional<Operator> named(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The number of operators; several tokens of one operator count once. */
    int size() {
        return byName.size();
    }

    /**
     * Reads the text of a file. Each entry is a mapping of {@code name}, {@code role} and optionally {@code sha256}, the hash of a token;
     * entries with the same name are further tokens of one operator.
     *
     * @throws IllegalArgumentException that states what is wrong, and never repeats a value that may be a token
     */
    static Operators parse(String yaml) {
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new Strings())
                .setAllowDuplicateKeys(false)
                .setMaxAliasesForCollections(0)
                .build();
        Object document;
        try {
            document = new Load(settings).loadFromString(yaml);
        } catch (YamlEngineException e) {
            // The whole message shows the line, which may have a token.
            String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("it cannot be parsed");
            throw new IllegalArgumentException("is not valid YAML: " + Quoted.inOneLine(message), e);
        }
        if (!(document instanceof Map<?, ?> root)
                || !root.keySet().equals(Set.of(ROOT))
                || !(root.get(ROOT) instanceof List<?> entries)) {
            throw new IllegalArgumentException(
                    "must have one key, " + ROOT + ", with a list such as - {name: ada, role: operate, sha256: …}");
        }
        if (entries.size() > MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    ROOT + " must have at most " + MAX_ENTRIES + " entries, has " + entries.size());
        }
        Map<String, Operator> byName = new LinkedHashMap<>();
        Map<TokenHash, Operator> byToken = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            add(ROOT + "[" + i + "]", entries.get(i), byName, byToken);
        }
        return new Operators(byName, byToken);
    }

    /** All values are strings: a hash may consist of digits. */
    private static final class Strings extends JsonSchema {
        @Override
        public ScalarResolver getScalarResolver() {
            return new FailsafeScalarResolver();
        }
    }

    private static void add(
            String where, Object entry, Map<String, Operator> byName, Map<TokenHash, Operator> byToken) {
        Map<String, String> fields = fields(where, entry);
        String name = required(where, fields, "name");
        if (!Operator.isName(name)) {
            throw new IllegalArgumentException(
                    where + ".name must be " + Operator.EXPECTED + ", was " + Quoted.of(name));
        }
        String given = required(where, fields, "role");
        Role role = Role.named(given)
                .orElseThrow(() -> new IllegalArgumentException(
                        where + ".role must be " + Role.EXPECTED + ", was " + Quoted.of(given)));
        Operator operator = byName.computeIfAbsent(name, added -> new Operator(Optional.of(name), role));
        if (operator.role() != role) {
            throw new IllegalArgumentException(where + " gives " + name + " the role " + role
                    + ", an earlier entry the role " + operator.role() + "; all entries of a name need the same role");
        }
        String hash = fields.get("sha256");
        if (hash == null) {
            return;
        }
        if (!TokenHash.isHex(hash)) {
            throw new IllegalArgumentException(where + ".sha256 must be the SHA-256 of a token, 64 hexadecimal digits,"
                    + " as headgate operator token prints it; its value is not shown here, because it may be a token");
        }
        if (byToken.putIfAbsent(TokenHash.ofHex(hash), operator) != null) {
            throw new IllegalArgumentException(where + ".sha256 is that of an earlier entry; each token occurs once");
        }
    }

    private static Map<String, String> fields(String where, Object entry) {
        if (!(entry instanceof Map<?, ?> mapping)) {
            throw new IllegalArgumentException(where + " must be a mapping with " + String.join(", ", KEYS));
        }
        Set<Object> unknown = new HashSet<>(mapping.keySet());
        KEYS.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(where + " has an unknown key; allowed are " + String.join(", ", KEYS));
        }
        Map<String, String> fields = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        mapping.forEach((key, value) -> {
            if (value instanceof String text) {
                fields.put(String.valueOf(key), text);
            } else {
                wrong.add(String.valueOf(key));
            }
        });
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(where + "." + wrong.get(0) + " must be a string");
        }
        return fields;
    }

    private static String required(String where, Map<String, String> fields, String key) {
        String value = fields.get(key);
        if (value == null) {
            throw new IllegalArgumentException(where + "." + key + " is missing");
        }
        return value;
    }
}
