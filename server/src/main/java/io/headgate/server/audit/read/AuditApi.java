package io.headgate.server.audit.read;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditLogException;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.server.audit.AuditJson;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.OperatorCalls;
import io.headgate.server.http.OperatorCalls.Result;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.Parameters;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.operators.Role;
import io.headgate.server.text.Quoted;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** {@code GET /v1/audit}: the records of the audit log, for operators. */
public final class AuditApi {

    private static final CallAudit.Call READ = CallAudit.Call.read("read the audit log");
    private static final List<String> PARAMETERS =
            List.of("operator", "action", "target", "since", "after", "before", "limit");
    private static final int DEFAULT_LIMIT = 100;
    private static final long MAX_WAIT_SECONDS = 3;

    private final Optional<RedisAuditLog> stored;
    private final OperatorCalls calls;
    private final Semaphore turn = new Semaphore(1, true);

    /**
     * Creates the service.
     *
     * @param stored the audit log in Redis, if the server has one
     * @param gate admits operators
     */
    public AuditApi(Optional<RedisAuditLog> stored, OperatorGate gate) {
        this.stored = stored;
        this.calls = new OperatorCalls(gate);
    }

    public void addTo(ServerBuilder server) {
        server.service("/v1/audit", this::serve);
    }

    private HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        return switch (request.method()) {
            case GET, HEAD -> calls.answer(ctx, request, Role.VIEW, READ, (whole, entry) -> read(ctx.queryParams()));
            default -> Responses.methodNotAllowed(request.method(), "GET, HEAD");
        };
    }

    private Result read(QueryParams given) {
        Parameters parameters = Parameters.of(given, PARAMETERS);
        Optional<String> after = parameters.get("after");
        Optional<String> before = parameters.get("before");
        if (after.isPresent() && before.isPresent()) {
            throw ProblemException.badRequest("give either the parameter after or before, not both");
        }
        RedisAuditLog log = stored.orElseThrow(() ->
                ProblemException.notFound("this server has no audit log to read: it was started without --redis URL"));
        AuditSearch search = new AuditSearch(
                parameters.get("operator"),
                parameters.get("action").map(AuditApi::action),
                parameters.get("target"),
                parameters.get("since").map(AuditApi::since));
        int limit = parameters.number("limit", DEFAULT_LIMIT, RedisAuditLog.MAX_READ);
        requireTurn();
        try {
            return result(
                    after.isPresent()
                            ? search.after(log::after, after.get(), limit)
                            : search.last(log::before, before, limit));
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest((after.isPresent() ? "after" : "before") + ": " + e.getMessage());
        } catch (AuditLogException e) {
            throw ProblemException.unavailable(String.valueOf(e.getMessage()));
        } finally {
            turn.release();
        }
    }

    /** Waits until no other search is in progress, so that searches take little of Redis's time from decisions. */
    private void requireTurn() {
        try {
            if (turn.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new ProblemException(
                Problem.of(429, "another search in the audit log is in progress at this server; try again"),
                Map.of("Retry-After", "1"));
    }

    private static Instant since(String given) {
        try {
            return SinceOption.parse(given);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("since: " + e.getMessage());
        }
    }

    private static String action(String given) {
        return AuditAction.named(given)
                .orElseThrow(() -> ProblemException.badRequest(
                        "action " + Quoted.of(given) + " is not one of " + AuditAction.NAMES))
                .toString();
    }

    private static Result result(AuditSearch.Found found) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("records", found.entries().stream().map(AuditJson::of).toList());
        members.put("next", found.next());
        found.previous().ifPresent(id -> members.put("previous", id));
        return new Result(members, "listed " + found.entries().size());
    }
}
