package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyChanges;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.limits.ProxyRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * New policies for a store that are valid, and that a process with the current ones can apply.
 *
 * @param next the new policies
 * @param currentVersion the current version, or of an edit in shadow, the shadow version; empty if there is none
 * @param current its policies; empty if there are none, or they cannot be read, for example because texts are missing
 * @param changes what differs from the current version; empty if there are no current policies, or they are invalid and so in force nowhere
 * @param isShadow whether they become the shadow version, which processes evaluate and do not apply
 */
record PolicyEdit(
        PolicyDocument next,
        Optional<String> currentVersion,
        Optional<PolicyDocument> current,
        Optional<List<PolicyChange>> changes,
        boolean isShadow) {

    /** The target of changes of the policies in the audit log. */
    static final String TARGET = "policies";

    private static final String SHADOW_TARGET = "shadow policies";

    /**
     * Checks new policies, and compares them with the current ones.
     *
     * @throws IllegalArgumentException if they are invalid, or no process with the current ones could apply them
     * @throws ConfigException if the store does not reply
     */
    static PolicyEdit of(PolicyStore store, PolicyDocument next) {
        Policies policies = valid(next);
        Optional<String> version =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        Optional<PolicyDocument> current = version.flatMap(any -> read(store));
        return new PolicyEdit(
                next,
                current.map(PolicyDocument::version).or(() -> version),
                current,
                current.flatMap(PolicyEdit::inForce).map(before -> changes(before, policies)),
                false);
    }

    /**
     * Checks new policies for the shadow version in the same way, since it is usually applied later.
     *
     * @throws IllegalArgumentException if they are invalid, no process with the current ones could apply them, or they are the current ones
     * @throws ConfigException if the store does not reply
     */
    static PolicyEdit inShadow(PolicyStore store, PolicyDocument next) {
        PolicyEdit edit = of(store, next);
        String inForce = edit.currentVersion()
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "a shadow version is compared with the current version, and there is none; apply one first, without --shadow"));
        if (edit.isUnchanged()) {
            throw new IllegalArgumentException(
                    "these are the policies of the current version " + inForce + ", so there is nothing to try");
        }
        Optional<PolicyDocument> shadow = readShadow(store);
        Optional<String> version = shadow.map(PolicyDocument::version)
                .or(() -> store.shadowVersion().map(PolicyVersion::version));
        return new PolicyEdit(next, version, shadow, edit.changes(), true);
    }

    private static Optional<PolicyDocument> readShadow(PolicyStore store) {
        try {
            return store.shadow();
        } catch (ConfigException e) {
            return Optional.empty(); // a damaged shadow version must be replaceable, too
        }
    }

    /** A damaged version must be replaceable. If the store does not reply, the write fails, too. */
    private static Optional<PolicyDocument> read(PolicyStore store) {
        try {
            return Optional.of(store.read());
        } catch (ConfigException e) {
            return Optional.empty();
        }
    }

    private static Optional<Policies> inForce(PolicyDocument current) {
        try {
            return Optional.of(current.policies());
        } catch (ConfigException e) {
            return Optional.empty();
        }
    }

    /**
     * Checks policies as {@code headgate serve} does.
     *
     * @throws IllegalArgumentException if they are invalid; the message lists the problems
     */
    static Policies valid(PolicyDocument document) {
        try {
            Policies policies = document.policies();
            ProxyRequest.requireNoReservedNames(policies.list());
            return policies;
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Returns what new policies change.
     *
     * @throws IllegalArgumentException if a server with the old ones rejects the new ones
     */
    static List<PolicyChange> changes(Policies before, Policies after) {
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create()) {
            new PolicyRegistry(engine, before).replace(after);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "a server with the old policies rejects the new ones: " + e.getMessage(), e);
        }
        return PolicyChanges.between(before, after);
    }

    /** What is changed, for the audit log. */
    String target() {
        return isShadow ? SHADOW_TARGET : TARGET;
    }

    /** What {@link #currentVersion} is, for messages. */
    String replacedName() {
        return isShadow ? "shadow version" : "current version";
    }

    /** Whether the new policies are the current ones. */
    boolean isUnchanged() {
        return current.filter(before -> before.texts().equals(next.texts())).isPresent();
    }

    /**
     * Returns the version that an update replaces.
     *
     * @param given the version that the caller has edited, or only its number; empty for the current one
     */
    Optional<String> replaced(Optional<String> given) {
        return given.map(wanted -> currentVersion
                        .filter(version -> version.startsWith(wanted + "-"))
                        .orElse(wanted))
                .or(() -> currentVersion);
    }

    /** The change for the audit log that discards a shadow version. */
    static AuditedChange discarded(String version) {
        return AuditedChange.of(SHADOW_TARGET).from(Map.of("version", version));
    }

    /** The change for the audit log. A version ends with a part of the digest of its texts, which the log does not contain. */
    AuditedChange audited(String version, String reason) {
        Map<String, Object> after = new LinkedHashMap<>();
        after.put("version", version);
        changes.ifPresent(all -> after.put("changes", all.size()));
        return AuditedChange.of(target())
                .from(currentVersion
                        .<Map<String, Object>>map(before -> Map.of("version", before))
                        .orElse(Map.of()))
                .to(after)
                .because(reason);
    }

    /**
     * Writes the new policies, unless the current version is another one than that which they replace.
     *
     * @param replaced see {@link #replaced}
     * @throws IllegalArgumentException if who or why is missing or too long
     * @throws ConfigException if the store does not reply
     */
    PolicyUpdate.Result write(PolicyStore store, Optional<String> replaced, String by, String reason) {
        PolicyUpdate update = new PolicyUpdate(next.texts(), replaced, by, reason);
        return store.apply(isShadow ? update.inShadow() : update);
    }
}
