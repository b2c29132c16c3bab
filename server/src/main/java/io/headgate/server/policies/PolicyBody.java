package io.headgate.server.policies;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.server.http.JsonBody;
import java.util.List;
import java.util.Optional;

/**
 * The body of a call that writes policies. Unknown members are errors.
 *
 * @param policies the policies to write; empty if it is a rollback
 * @param rollback the version to write again; empty unless it is a rollback
 * @param replaces the version that must be the current one; empty for any
 * @param by who writes it
 * @param reason why
 * @param isShadow whether they become the shadow version
 */
record PolicyBody(
        Optional<PolicyDocument> policies,
        Optional<String> rollback,
        Optional<String> replaces,
        String by,
        String reason,
        boolean isShadow) {

    private static final int MAX_TEXTS = 1000;
    private static final String TEXTS = "texts";
    private static final String SHADOW = "shadow";
    private static final String EXAMPLE = "{\"texts\": [{\"name\": \"limits.yaml\", \"yaml\": \"policies: …\"}]}";

    /** Reads a body that has only policies. */
    static PolicyDocument document(AggregatedHttpRequest request) {
        return document(parse(request, List.of(TEXTS), EXAMPLE));
    }

    /**
     * Reads a body with policies to write.
     *
     * @param client who writes them, unless the body names somebody
     */
    static PolicyBody ofPolicies(AggregatedHttpRequest request, String client) {
        JsonBody body = parse(request, List.of(TEXTS, "reason", "by", "replaces", SHADOW), EXAMPLE);
        return of(body, Optional.of(document(body)), Optional.empty(), client, body.string("reason"));
    }

    /**
     * Reads a body with a version to write again.
     *
     * @param client who writes it, unless the body names somebody
     */
    static PolicyBody ofRollback(AggregatedHttpRequest request, String client) {
        JsonBody body = parse(request, List.of("version", "reason", "by", "replaces"), "{\"version\": \"17\"}");
        String version = body.string("version");
        return of(
                body,
                Optional.empty(),
                Optional.of(version),
                client,
                text(body, "reason").orElse("roll back to " + version));
    }

    private static PolicyBody of(
            JsonBody body, Optional<PolicyDocument> policies, Optional<String> rollback, String client, String reason) {
        return new PolicyBody(
                policies, rollback, text(body, "replaces"), text(body, "by").orElse(client), reason, body.flag(SHADOW));
    }

    private static JsonBody parse(AggregatedHttpRequest request, List<String> members, String example) {
        JsonBody.requireType(request.contentType());
        return JsonBody.parse(request.content().array(), members, example);
    }

    private static PolicyDocument document(JsonBody body) {
        List<PolicyDocument.Text> texts = body
                .objects(
                        TEXTS,
                        MAX_TEXTS,
                        List.of("name", "yaml"),
                        "{\"name\": \"limits.yaml\", \"yaml\": \"policies: …\"}")
                .stream()
                .map(text -> new PolicyDocument.Text(text.string("name"), text.string("yaml")))
                .toList();
        return new PolicyDocument(PolicyDocument.digest(texts), texts);
    }

    private static Optional<String> text(JsonBody body, String member) {
        return body.has(member) ? Optional.of(body.string(member)) : Optional.empty();
    }

    /** The policies to write. */
    PolicyDocument document() {
        return policies.orElseThrow();
    }

    /** The version to write again. */
    String version() {
        return rollback.orElseThrow();
    }
}
