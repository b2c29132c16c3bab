package io.headgate.server.queues.http;

import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueSettings;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.InstantOption;
import io.headgate.server.queues.PriorityOption;
import io.headgate.server.text.Quoted;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The body of {@code POST /v1/queues/NAME/jobs}: one job, or several in {@code jobs}. Unknown members are errors.
 *
 * @param jobs 1 to 500 jobs
 * @param several whether they were in an array; the response then has an array, too
 */
record EnqueueRequest(List<NewJob<byte[]>> jobs, boolean several) {

    private static final String SEVERAL = "jobs";
    private static final List<String> MEMBERS = List.of(
            "payload",
            "payloadBase64",
            "delaySeconds",
            "at",
            "priority",
            "once",
            "replacing",
            "headers",
            "group",
            "tenant");
    private static final List<String> ALL =
            Stream.concat(MEMBERS.stream(), Stream.of(SEVERAL)).toList();
    private static final String EXAMPLE = "{\"payload\": \"welcome, alice\", \"delaySeconds\": 300}";
    private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(3660L * 24 * 60 * 60);

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static EnqueueRequest parse(QueueRequest request) {
        JsonBody body = request.requiredBody(ALL, EXAMPLE);
        if (!body.has(SEVERAL)) {
            return new EnqueueRequest(List.of(job(body)), false);
        }
        if (MEMBERS.stream().anyMatch(body::has)) {
            throw ProblemException.badRequest("give either the array jobs or the members of one job, not both");
        }
        List<JsonBody> all = body.objects(SEVERAL, QueueSettings.MAX_BATCH, MEMBERS, EXAMPLE);
        return new EnqueueRequest(all.stream().map(EnqueueRequest::job).toList(), true);
    }

    private static NewJob<byte[]> job(JsonBody body) {
        NewJob<byte[]> job = new NewJob<>(
                payload(body),
                due(body),
                priority(body),
                key(body),
                body.strings("headers"),
                text(body, "group"),
                text(body, "tenant"));
        if (job.payload().length > QueueSettings.MAX_PAYLOAD_BYTES) {
            throw ProblemException.badRequest("a payload must be at most " + QueueSettings.MAX_PAYLOAD_BYTES
                    + " bytes, was " + job.payload().length);
        }
        return job;
    }

    private static byte[] payload(JsonBody body) {
        if (body.has("payload") == body.has("payloadBase64")) {
            throw ProblemException.badRequest("give exactly one of payload (text) and payloadBase64 (bytes)");
        }
        if (body.has("payload")) {
            return body.string("payload").getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(body.string("payloadBase64"));
        } catch (IllegalArgumentException e) {
            // The message may contain a part of the payload.
            throw ProblemException.badRequest("payloadBase64 must be standard Base64 (with + and /, not - and _)");
        }
    }

    private static NewJob.Due due(JsonBody body) {
        if (body.has("delaySeconds") && body.has("at")) {
            throw ProblemException.badRequest("give either delaySeconds or at");
        }
        if (body.has("at")) {
            return new NewJob.At(at(body.string("at")));
        }
        if (!body.has("delaySeconds")) {
            return new NewJob.After(Duration.ZERO);
        }
        BigDecimal seconds = body.decimal("delaySeconds");
        if (seconds.signum() < 0 || seconds.compareTo(LONGEST_SECONDS) > 0) {
            throw ProblemException.badRequest(
                    "delaySeconds must be from 0 to " + LONGEST_SECONDS + ", was " + Quoted.of(seconds.toString()));
        }
        long micros =
                seconds.movePointRight(6).setScale(0, RoundingMode.CEILING).longValueExact();
        return new NewJob.After(Duration.of(micros, ChronoUnit.MICROS));
    }

    private static Instant at(String given) {
        try {
            return InstantOption.parse(given);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("at: " + e.getMessage());
        }
    }

    private static Priority priority(JsonBody body) {
        if (!body.has("priority")) {
            return Priority.NORMAL;
        }
        String given = body.string("priority");
        return PriorityOption.named(given)
                .orElseThrow(() -> ProblemException.badRequest(
                        "priority must be " + PriorityOption.EXPECTED + ", was " + Quoted.of(given)));
    }

    private static Optional<String> text(JsonBody body, String member) {
        return body.has(member) ? Optional.of(body.string(member)) : Optional.empty();
    }

    private static Optional<NewJob.JobKey> key(JsonBody body) {
        if (body.has("once") && body.has("replacing")) {
            throw ProblemException.badRequest("give either once or replacing");
        }
        if (body.has("once")) {
            return Optional.of(new NewJob.JobKey(body.string("once"), false));
        }
        return body.has("replacing")
                ? Optional.of(new NewJob.JobKey(body.string("replacing"), true))
                : Optional.empty();
    }
}
