package io.headgate.server.bans;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.bans.IpBlock;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.http.ArmeriaRequest;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.OperatorCalls;
import io.headgate.server.http.OperatorCalls.Result;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.Parameters;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.operators.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The paths {@code /v1/bans} and {@code /v1/bans/lift}, for operators. */
public final class BanApi {

    private static final CallAudit.Call LIST = CallAudit.Call.read("list bans");
    private static final CallAudit.Call ADD = CallAudit.Call.change("add a ban", AuditAction.BAN_ADD);
    private static final CallAudit.Call LIFT = CallAudit.Call.change("lift a ban", AuditAction.BAN_LIFT);
    private static final String REMEDY = "send \"force\": true";
    private static final List<String> PARAMETERS = List.of("attribute", "policy", "limit", "after");
    private static final int DEFAULT_LIMIT = 100;

    private final Bans bans;
    private final Optional<ClientAddress> proxies;
    private final OperatorCalls calls;

    /**
     * Creates the service.
     *
     * @param proxies finds the client behind trusted proxies; empty if none is trusted
     * @param gate admits operators
     */
    public BanApi(Bans bans, Optional<ClientAddress> proxies, OperatorGate gate) {
        this.bans = bans;
        this.proxies = proxies;
        this.calls = new OperatorCalls(gate);
    }

    public void addTo(ServerBuilder server) {
        server.service("/v1/bans", this::bans);
        server.service("/v1/bans/lift", this::lift);
    }

    private HttpResponse bans(ServiceRequestContext ctx, HttpRequest request) {
        return switch (request.method()) {
            case GET, HEAD -> calls.answer(ctx, request, Role.VIEW, LIST, (whole, entry) -> list(ctx.queryParams()));
            case POST -> calls.answer(ctx, request, Role.OPERATE, ADD, (whole, entry) -> add(ctx, whole, entry));
            default -> Responses.methodNotAllowed(request.method(), "GET, HEAD, POST");
        };
    }

    private HttpResponse lift(ServiceRequestContext ctx, HttpRequest request) {
        return request.method() == HttpMethod.POST
                ? calls.answer(ctx, request, Role.OPERATE, LIFT, this::lift)
                : Responses.methodNotAllowed(request.method(), "POST");
    }

    private Result list(QueryParams given) {
        Parameters parameters = Parameters.of(given, PARAMETERS);
        Optional<String> attribute = parameters.get("attribute");
        Optional<String> policy = parameters.get("policy");
        List<BanEntry> all = bans.entries().stream()
                .filter(entry -> attribute.isEmpty()
                        || attribute.get().equals(entry.target().attribute()))
                .filter(entry ->
                        policy.isEmpty() || policy.equals(entry.target().policy()))
                .toList();
        BanPage page = BanPage.of(all, parameters.get("after"), parameters.number("limit", DEFAULT_LIMIT, BanPage.MAX));
        return new Result(page.members(), "listed " + page.entries().size());
    }

    private Result add(ServiceRequestContext ctx, AggregatedHttpRequest request, CallAudit.Entry entry) {
        JsonBody.requireType(request.contentType());
        BanRequestBody body = BanRequestBody.parse(request.content().array(), entry.by());
        BanTarget target = body.request().target();
        entry.target(target.toString());
        if (!body.force()) {
            guard(ctx, request).check(body.request(), REMEDY);
        }
        Optional<BanEntry> before = bans.find(target);
        BanEntry added = bans.add(body.request());
        return new Result(
                BanJson.of(added),
                "added " + BanText.of(added),
                Optional.of(BanChange.of(target, before, Optional.of(added))));
    }

    /** Guards the trusted proxies, and the address of this client. */
    private BanGuard guard(ServiceRequestContext ctx, AggregatedHttpRequest request) {
        List<BanGuard.Guarded> guarded = new ArrayList<>();
        proxies.stream()
                .flatMap(address -> address.trustedNetworks().stream())
                .forEach(network -> guarded.add(new BanGuard.Guarded("the trusted proxies", network)));
        ClientAddress addresses = proxies.orElseGet(ClientAddress::ofPeer);
        addresses
                .find(new ArmeriaRequest(ctx, HttpRequest.of(request.headers())))
                .ifPresent(client -> guarded.add(new BanGuard.Guarded("your own address", IpBlock.of(client))));
        return new BanGuard(guarded);
    }

    private Result lift(AggregatedHttpRequest request, CallAudit.Entry entry) {
        JsonBody.requireType(request.contentType());
        BanTarget target = BanRequestBody.target(request.content().array());
        entry.target(target.toString());
        BanEntry lifted = bans.lift(target)
                .orElseThrow(() -> ProblemException.notFound(
                        target + " is neither banned nor exempt; GET /v1/bans lists the entries"));
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("lifted", BanJson.of(lifted));
        return new Result(
                members,
                "lifted " + BanText.of(lifted),
                Optional.of(BanChange.of(target, Optional.of(lifted), Optional.empty())));
    }
}
