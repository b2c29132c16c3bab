package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.ConfigNode;
import io.headgate.config.PolicyFile;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicySource;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The policies of {@code headgate.policies}, which are read again when the properties of the application may have changed. Its version is a
 * hash of them. Only the sources of the properties can change them.
 */
final class EnvironmentPolicySource implements PolicySource {

    private final HeadgateEnvironment environment;
    private final EnvironmentChanges changes;
    private final AtomicReference<@Nullable Runnable> watching = new AtomicReference<>();
    private volatile boolean closed;

    EnvironmentPolicySource(HeadgateEnvironment environment, EnvironmentChanges changes) {
        this.environment = environment;
        this.changes = changes;
    }

    @Override
    public String name() {
        return HeadgateEnvironment.POLICIES_PATH;
    }

    /** Reads and checks the properties, so that problems have the places where they are set. */
    @Override
    public PolicyDocument read() {
        ConfigNode.Mapping policies = environment
                .policies()
                .orElseThrow(() -> new ConfigException(List.of(HeadgateEnvironment.POLICIES_PATH
                        + ": there are none any more; to remove the last one, start the application again")));
        PolicyFile.read(policies, HeadgateEnvironment.POLICIES_PATH);
        List<PolicyDocument.Text> texts = List.of(
                new PolicyDocument.Text(HeadgateEnvironment.POLICIES_PATH, "{\"policies\": " + yaml(policies) + "}"));
        return new PolicyDocument(PolicyDocument.digest(texts), texts);
    }

    /** Returns a node as YAML in the form of JSON. */
    private static String yaml(ConfigNode node) {
        if (node instanceof ConfigNode.Mapping mapping) {
            StringJoiner entries = new StringJoiner(", ", "{", "}");
            for (Map.Entry<String, ConfigNode> entry : mapping.entries().entrySet()) {
                entries.add(quoted(entry.getKey()) + ": " + yaml(entry.getValue()));
            }
            return entries.toString();
        }
        if (node instanceof ConfigNode.Items list) {
            StringJoiner items = new StringJoiner(", ", "[", "]");
            list.items().forEach(item -> items.add(yaml(item)));
            return items.toString();
        }
        // Spring has replaced its placeholders, so what is left is text.
        return quoted(((ConfigNode.Text) node).text().replace("${", "$${"));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c >= ' ' && c <= '~') {
                quoted.append(c);
            } else {
                quoted.append(String.format("\\u%04x", (int) c));
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public void watch(Runnable changed) {
        if (closed || !watching.compareAndSet(null, changed)) {
            throw new IllegalStateException(closed ? "the source is closed" : "the source is watched already");
        }
        changes.add(changed);
        changed.run();
    }

    @Override
    public void close() {
        closed = true;
        Runnable changed = watching.get();
        if (changed != null) {
            changes.remove(changed);
        }
    }
}
