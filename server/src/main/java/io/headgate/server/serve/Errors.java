package io.headgate.server.serve;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.server.http.LogThrottle;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.net.ConnectionBounds;
import io.headgate.server.net.OutOfMemoryExit;
import io.headgate.server.text.Json;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns each exception into a problem. Internal details are logged, never sent. */
final class Errors implements ServerErrorHandler {

    private static final Logger log = LoggerFactory.getLogger(Errors.class);

    /** A key up to the ids in it: prefix, kind, policy and rule. */
    private static final Pattern KEY_OF_RULE = Pattern.compile("(?:[^:]+:){4}");

    private final LogThrottle storeFailures = new LogThrottle();
    private final LogThrottle faults = new LogThrottle();

    @Override
    public HttpResponse onServiceException(ServiceRequestContext ctx, Throwable thrown) {
        OutOfMemoryExit.check(thrown);
        Throwable cause = Exceptions.peel(thrown);
        boolean bodyArrived = !ctx.request().isOpen();
        if (cause instanceof RequestTimeoutException) {
            UnfinishedRequests.closeAfterResponse(ctx); // its body may never end
        }
        return Responses.problem(
                problemOf(cause, ctx.maxRequestLength(), bodyArrived),
                cause instanceof ProblemException known ? known.fields() : Map.of());
    }

    private Problem problemOf(Throwable cause, long maxBytes, boolean bodyArrived) {
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof LimiterException failure) {
            storeFailures.run(more ->
                    log.warn("{} {}: {}{}", failure.operation(), withoutIds(failure.key()), failure.problem(), more));
            return Problem.of(
                    503,
                    "the limits are unavailable; "
                            + switch (failure.operation()) {
                                case "refund" -> ofRefund(failure);
                                case "hold" -> ofHold(failure);
                                case "renew" -> "whether the hold was renewed is not known; retry";
                                case "release" ->
                                    "whether the hold was released is not known; retry, or leave it: the server retries until the lease expires";
                                case "add", "lift" -> "whether the bans were changed is not known; repeat the request";
                                case "hot keys" -> "nothing was changed";
                                default -> ofCheck(failure);
                            });
        }
        if (cause instanceof QueueFullException full) {
            return Problem.of(409, full.problem());
        }
        if (cause instanceof QueueException failure) {
            storeFailures.run(
                    more -> log.warn("{} {}: {}{}", failure.operation(), failure.key(), failure.problem(), more));
            return Problem.of(
                    503,
                    "the queues are unavailable; "
                            + (failure.mayBeDone() ? "whether this was done is not known" : "nothing was changed"));
        }
        if (cause instanceof ContentTooLargeException) {
            return plain(HttpStatus.REQUEST_ENTITY_TOO_LARGE, maxBytes);
        }
        if (cause instanceof RequestTimeoutException) {
            return bodyArrived
                    ? Problem.of(503, "the request took too long")
                    : Problem.of(408, "the body of the request did not arrive in time");
        }
        if (cause instanceof ResponseCompleteException
                || cause instanceof ClosedStreamException
                || cause instanceof ClosedSessionException) {
            // The client has disconnected or already has its response.
            return plain(HttpStatus.BAD_REQUEST, maxBytes);
        }
        if (cause instanceof HttpStatusException status) {
            return plain(status.httpStatus(), maxBytes);
        }
        faults.run(more -> log.error("a request failed{}", more, cause));
        return Problem.of(500, "the server failed; see its log");
    }

    private static String ofCheck(LimiterException failure) {
        return failure.mayBeCharged()
                ? "whether this request was counted is not known"
                : "this request was not counted";
    }

    private static String ofHold(LimiterException failure) {
        return failure.mayBeCharged()
                ? "whether permits were taken is not known; the server releases them as soon as it can"
                : "no permits were taken";
    }

    private static String ofRefund(LimiterException failure) {
        return failure.mayBeCharged()
                ? "whether permits were returned is not known; a receipt is refunded once, so retry it"
                : "no permits were returned";
    }

    /** The key without its ids, as the pattern of all keys of the rule: the log must not contain ids of users. */
    private static String withoutIds(String key) {
        Matcher rule = KEY_OF_RULE.matcher(key);
        return rule.lookingAt() ? rule.group() + "*" : key;
    }

    /** Responds to a request that is rejected before a service receives it, because it is too long, ambiguous, or not HTTP. */
    @Override
    public AggregatedHttpResponse onProtocolViolation(
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return aggregated(
                cause instanceof ProblemException known ? known.problem() : plain(status, config.maxRequestLength()));
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext ctx,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return aggregated(plain(status, config.maxRequestLength()));
    }

    private static Problem plain(HttpStatus status, long maxBytes) {
        return Problem.of(status.code(), detailOf(status.code(), maxBytes));
    }

    private static String detailOf(int status, long maxBytes) {
        return switch (status) {
            case 400 -> "the request is not understood";
            case 404 -> "there is nothing at this path; try / in a browser";
            case 405 -> "this method is not supported";
            case 413 -> "the body must be at most " + maxBytes + " bytes";
            case 414 -> "the request line must be at most " + ConnectionBounds.MAX_REQUEST_LINE_BYTES + " bytes";
            case 431 -> "the header fields must be at most " + ConnectionBounds.MAX_HEADER_BYTES + " bytes in total";
            case 503 -> "the server is stopping or overloaded";
            default -> "the request is refused";
        };
    }

    private static AggregatedHttpResponse aggregated(Problem problem) {
        byte[] body = Json.line(problem.members());
        return AggregatedHttpResponse.of(
                Responses.headers(problem.status())
                        .contentType(MediaType.parse(Problem.MEDIA_TYPE))
                        .contentLength(body.length)
                        .build(),
                HttpData.wrap(body));
    }
}
