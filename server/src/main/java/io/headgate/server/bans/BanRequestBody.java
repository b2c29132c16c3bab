package io.headgate.server.bans;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The body of {@code POST /v1/bans}. Unknown members are errors.
 *
 * @param force whether to add a ban that is refused otherwise
 */
record BanRequestBody(BanRequest request, boolean force) {

    private static final String PERMANENT = "permanent";
    private static final String SECONDS = "durationSeconds";
    private static final List<String> TARGET = List.of("attribute", "value", "policy");
    private static final List<String> MEMBERS =
            List.of("attribute", "value", "policy", "kind", SECONDS, PERMANENT, "reason", "by", "force");
    private static final long MAX_SECONDS = Duration.ofDays(3660).toSeconds();

    /**
     * Reads the body.
     *
     * @param client who makes the request, unless the body names somebody
     * @throws ProblemException with status 400 that states what is wrong
     * @throws IllegalArgumentException if a value is out of its range
     */
    static BanRequestBody parse(byte[] content, String client) {
        JsonBody body = JsonBody.parse(
                content, MEMBERS, "{\"attribute\": \"user\", \"value\": \"mallory\", \"durationSeconds\": 3600}");
        Optional<Duration> duration = Optional.empty();
        boolean isPermanent = body.flag(PERMANENT);
        if (isPermanent == body.has(SECONDS)) {
            throw ProblemException.badRequest(
                    "give either " + SECONDS + ", from 1 to " + MAX_SECONDS + ", or " + PERMANENT + ": true");
        }
        if (!isPermanent) {
            duration = Optional.of(Duration.ofSeconds(body.whole(SECONDS, MAX_SECONDS)));
        }
        return new BanRequestBody(
                new BanRequest(target(body), kind(body), duration, text(body, "reason", ""), text(body, "by", client)),
                body.flag("force"));
    }

    /** Reads a body that has only the target. */
    static BanTarget target(byte[] content) {
        return target(JsonBody.parse(content, TARGET, "{\"attribute\": \"user\", \"value\": \"mallory\"}"));
    }

    static BanTarget target(JsonBody body) {
        Optional<String> policy = body.has("policy") ? Optional.of(body.string("policy")) : Optional.empty();
        return new BanTarget(policy, body.string("attribute"), body.string("value"));
    }

    static BanEntry.Kind kind(JsonBody body) {
        return body.has("kind") ? kind(body.string("kind")) : BanEntry.Kind.BAN;
    }

    private static BanEntry.Kind kind(String given) {
        return Arrays.stream(BanEntry.Kind.values())
                .filter(kind -> Words.hyphenated(kind).equals(given.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> ProblemException.badRequest(
                        "kind must be ban, exemption or counted-exemption, was " + Quoted.of(given)));
    }

    private static String text(JsonBody body, String member, String otherwise) {
        return body.has(member) ? body.string(member) : otherwise;
    }
}
