package io.headgate.server.policies;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicySource;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.OperatorCalls;
import io.headgate.server.http.OperatorCalls.Result;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.Parameters;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.operators.Role;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Quoted;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The paths below {@code /v1/policies}, with which operators read, check, write and roll back the policies of the server. */
public final class PolicyApi {

    /** The maximum length of a body with policies. */
    private static final int MAX_BYTES = 2 << 20;

    /** A write to a slow store may take several calls of some seconds each. */
    private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(1);

    private static final String PATH = "/v1/policies";
    private static final CallAudit.Call APPLY =
            new CallAudit.Call("apply policies", Optional.of(AuditAction.POLICY_APPLY), PolicyEdit.TARGET);
    private static final CallAudit.Call ROLL_BACK =
            new CallAudit.Call("roll back policies", Optional.of(AuditAction.POLICY_ROLLBACK), PolicyEdit.TARGET);
    private static final CallAudit.Call DISCARD =
            CallAudit.Call.change("discard the shadow version", AuditAction.POLICY_DISCARD);
    private static final CallAudit.Call CHECK = CallAudit.Call.read("check policies");
    private static final CallAudit.Call SHOW = CallAudit.Call.read("show policies");
    private static final int MAX_VERSIONS = 100;
    private static final int DEFAULT_VERSIONS = 20;

    private final Supplier<Policies> inForce;
    private final Supplier<Optional<PolicyStatus>> status;
    private final Optional<PolicySource> source;
    private final OperatorCalls calls;

    /**
     * Creates the service.
     *
     * @param inForce the policies in force
     * @param status their version; empty if they never change
     * @param source where they come from; empty if they never change
     * @param gate admits operators
     */
    public PolicyApi(
            Supplier<Policies> inForce,
            Supplier<Optional<PolicyStatus>> status,
            Optional<PolicySource> source,
            OperatorGate gate) {
        this.inForce = inForce;
        this.status = status;
        this.source = source;
        this.calls = new OperatorCalls(gate);
    }

    public void addTo(ServerBuilder server) {
        server.service(PATH, (ctx, request) -> switch (request.method()) {
            case GET, HEAD -> answer(ctx, request, Role.VIEW, SHOW, (whole, entry) -> show(ctx.queryParams()));
            case POST -> answerLarge(writing(ctx), request, Role.ADMIN, APPLY, this::apply);
            default -> Responses.methodNotAllowed(request.method(), "GET, HEAD, POST");
        });
        post(
                server,
                "/check",
                (ctx, request) -> answerLarge(ctx, request, Role.OPERATE, CHECK, (whole, entry) -> check(whole)));
        post(
                server,
                "/rollback",
                (ctx, request) -> answer(writing(ctx), request, Role.ADMIN, ROLL_BACK, this::rollBack));
        server.service(PATH + "/shadow", (ctx, request) -> switch (request.method()) {
            case DELETE -> answer(ctx, request, Role.ADMIN, DISCARD, (whole, entry) -> discard());
            default -> Responses.methodNotAllowed(request.method(), "DELETE");
        });
        get(server, "/preview", "preview the shadow version", given -> preview());
        get(server, "/history", "list versions of policies", this::history);
        get(server, "/status", "list instances with policies", given -> instances());
    }

    private static ServiceRequestContext writing(ServiceRequestContext ctx) {
        ctx.setRequestTimeout(TimeoutMode.SET_FROM_START, WRITE_TIMEOUT);
        return ctx;
    }

    private static void post(ServerBuilder server, String path, HttpService call) {
        server.service(
                PATH + path,
                (ctx, request) -> request.method() == HttpMethod.POST
                        ? call.serve(ctx, request)
                        : Responses.methodNotAllowed(request.method(), "POST"));
    }

    private void get(ServerBuilder server, String path, String what, Function<QueryParams, Result> call) {
        server.service(PATH + path, (ctx, request) -> switch (request.method()) {
            case GET, HEAD ->
                answer(
                        ctx,
                        request,
                        Role.VIEW,
                        CallAudit.Call.read(what),
                        (whole, entry) -> call.apply(ctx.queryParams()));
            default -> Responses.methodNotAllowed(request.method(), "GET, HEAD");
        });
    }

    private HttpResponse answer(
            ServiceRequestContext ctx, HttpRequest request, Role needed, CallAudit.Call what, OperatorCalls.Call call) {
        return calls.answer(ctx, request, needed, what, available(call));
    }

    private HttpResponse answerLarge(
            ServiceRequestContext ctx, HttpRequest request, Role needed, CallAudit.Call what, OperatorCalls.Call call) {
        ctx.setMaxRequestLength(MAX_BYTES);
        return calls.answerLarge(ctx, request, needed, what, available(call));
    }

    private static OperatorCalls.Call available(OperatorCalls.Call call) {
        return (whole, entry) -> {
            try {
                return call.make(whole, entry);
            } catch (ConfigException e) {
                throw ProblemException.unavailable(String.valueOf(e.getMessage()));
            }
        };
    }

    private PolicyStore store() {
        return source.flatMap(PolicyStore::of)
                .orElseThrow(() -> ProblemException.conflict(source.map(
                                from -> "the policies come from "
                                        + Quoted.of(from.name())
                                        + ", which the server does not write; replace that file, and the server applies it within a second")
                        .orElse("the policies of this server never change")));
    }

    private Result show(QueryParams given) {
        PolicyDocument document = Parameters.of(given, List.of("version"))
                .get("version")
                .map(version -> find(store(), version))
                .orElseGet(this::current);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", document.version());
        status.get().ifPresent(known -> {
            members.put("source", known.source());
            members.put("inForce", known.version());
            members.put("since", Instants.of(known.since()));
            known.rejected().ifPresent(rejection -> members.put("rejected", rejection.toString()));
        });
        members.put("texts", document.texts().stream().map(PolicyJson::of).toList());
        return new Result(members, "showed version " + document.version());
    }

    private static PolicyDocument find(PolicyStore store, String version) {
        return store.find(version)
                .orElseThrow(() -> ProblemException.notFound("there is no version " + Quoted.of(version) + "; GET "
                        + PATH + "/history lists those that are kept"));
    }

    /** The document of the store itself: a source with a local copy notes what it has read last. */
    private PolicyDocument current() {
        PolicySource from =
                source.orElseThrow(() -> ProblemException.notFound("the policies of this server never change"));
        Optional<PolicyStore> store = PolicyStore.of(from);
        return store.isPresent() ? store.get().read() : from.read();
    }

    private Result history(QueryParams given) {
        int limit = Parameters.of(given, List.of("limit")).number("limit", DEFAULT_VERSIONS, MAX_VERSIONS);
        List<PolicyVersion> versions = store().history(limit);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("versions", versions.stream().map(PolicyJson::of).toList());
        store().shadowVersion().ifPresent(shadow -> members.put("shadow", PolicyJson.of(shadow)));
        return new Result(members, "listed " + versions.size());
    }

    private Result instances() {
        PolicyStore store = store();
        // The version after the instances, so that no version is compared with reports from before it was replaced.
        List<PolicyInstance> instances = store.instances();
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        return new Result(PolicyJson.of(current, store.shadowVersion(), instances), "listed");
    }

    private Result preview() {
        return new Result(PreviewView.read(store()).json(), "previewed");
    }

    private Result discard() {
        PolicyStore store = store();
        Optional<String> shadow = store.shadowVersion().map(PolicyVersion::version);
        boolean discarded = shadow.filter(store::discardShadow).isPresent();
        if (shadow.isPresent() && !discarded) {
            throw ProblemException.conflict(
                    "not discarded, as the shadow version was replaced meanwhile; GET " + PATH + "/preview shows it");
        }
        return shadow.map(version -> new Result(
                        Map.of("discarded", true),
                        "discarded shadow version " + version,
                        Optional.of(PolicyEdit.discarded(version))))
                .orElseGet(() -> new Result(Map.of("discarded", false), "there is no shadow version"));
    }

    private Result check(AggregatedHttpRequest request) {
        PolicyDocument document = PolicyBody.document(request);
        Policies next = PolicyEdit.valid(document);
        return new Result(
                Map.of("changes", PolicyJson.of(PolicyEdit.changes(inForce.get(), next))),
                "checked " + document.version());
    }

    private Result apply(AggregatedHttpRequest request, CallAudit.Entry entry) {
        PolicyStore store = store();
        PolicyBody body = PolicyBody.ofPolicies(request, entry.by());
        PolicyEdit edit =
                body.isShadow() ? PolicyEdit.inShadow(store, body.document()) : PolicyEdit.of(store, body.document());
        if (edit.isUnchanged() && edit.replaced(body.replaces()).equals(edit.currentVersion())) {
            String version = edit.currentVersion().orElseThrow();
            return new Result(written(false, version, edit), "unchanged: version " + version);
        }
        return write(store, edit, body);
    }

    private Result rollBack(AggregatedHttpRequest request, CallAudit.Entry entry) {
        PolicyStore store = store();
        PolicyBody body = PolicyBody.ofRollback(request, entry.by());
        return write(store, PolicyEdit.of(store, find(store, body.version())), body);
    }

    private static Result write(PolicyStore store, PolicyEdit edit, PolicyBody body) {
        PolicyUpdate.Result result = edit.write(store, edit.replaced(body.replaces()), body.by(), body.reason());
        if (!result.applied()) {
            throw ProblemException.conflict(
                    "not written, as the " + edit.replacedName() + " is not the expected one; it is "
                            + result.current()
                                    .map(version -> version.version() + ", written by " + version.by() + ": "
                                            + version.reason())
                                    .orElse("none")
                            + "; compare with it, and apply again");
        }
        String version = result.current().orElseThrow().version();
        return new Result(
                written(true, version, edit),
                "wrote " + (edit.isShadow() ? "shadow " : "") + "version " + version,
                Optional.of(edit.audited(version, body.reason())));
    }

    private static Map<String, Object> written(boolean written, String version, PolicyEdit edit) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("written", written);
        members.put("version", version);
        edit.changes().ifPresent(changes -> members.put("changes", PolicyJson.of(changes)));
        return members;
    }
}
