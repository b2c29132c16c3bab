package io.headgate.server.http;

import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.server.audit.AuditLine;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.operators.Operator;
import io.headgate.server.operators.Role;
import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Logs each operator call and each refund with its outcome, in one line, and records those that change something or are refused in the audit
 * log. Never logs a token, a payload, or another part of a body.
 */
public final class CallAudit {

    private static final Operator UNKNOWN = new Operator(Optional.empty(), Role.VIEW);
    private static final String VIA = "http";
    private static final String DONE = "done";
    private static final String NOT_CHANGED = "not-changed";

    private final LogThrottle refusals = new LogThrottle();
    private final ServerAudit audit;
    private final ClientAddress clients;

    /**
     * Creates an instance that records in this log.
     *
     * @param proxies finds the client behind trusted proxies; empty if none is trusted
     */
    public CallAudit(ServerAudit audit, Optional<ClientAddress> proxies) {
        this.audit = audit;
        this.clients = proxies.orElseGet(ClientAddress::ofPeer);
    }

    /**
     * A call.
     *
     * @param what the operation and its subject, for people; the caller quotes names that clients choose
     * @param action what it changes; empty if it only reads
     * @param target what it changes; empty if the body contains that
     * @param operation the operation without names that clients choose
     */
    public record Call(String what, Optional<AuditAction> action, String target, String operation) {

        /** A call without names that clients choose. */
        public Call(String what, Optional<AuditAction> action, String target) {
            this(what, action, target, what);
        }

        /** A call that only reads. */
        public static Call read(String what) {
            return new Call(what, Optional.empty(), "");
        }

        /** A call that changes what its body contains. */
        public static Call change(String what, AuditAction action) {
            return new Call(what, Optional.of(action), "");
        }
    }

    /** One call, whose outcome is logged and recorded. */
    public final class Entry {

        private final AuditLine line;
        private final Call call;
        private final Optional<Operator> known;
        private final String address;
        private final String peer;
        private volatile String target;

        private Entry(ServiceRequestContext ctx, Optional<Operator> known, Call call) {
            String connection = PeerAddress.text(ctx);
            this.address = clients.find(new ArmeriaRequest(ctx, ctx.request()))
                    .map(InetAddress::getHostAddress)
                    .orElse(connection);
            this.peer = connection.equals(address) ? "" : connection;
            this.line = new AuditLine(known.orElse(UNKNOWN).at(address), call.what());
            this.call = call;
            this.known = known;
            this.target = call.target();
        }

        /** The operator who makes the call. */
        public Operator operator() {
            return known.orElse(UNKNOWN);
        }

        /** The operator's name, or the client's address if there is none. */
        public String by() {
            return operator().name().orElse(address);
        }

        /** Sets what the call changes, as soon as it is known, for the record of a call that fails. */
        public void target(String changed) {
            target = changed;
        }

        /** Logs that the call was not authorized. The number of such lines is bounded for clients without a name, because any client can cause them. */
        public void refused(ProblemException why) {
            int status = why.problem().status();
            String outcome = "refused with " + status;
            if (operator().name().isPresent()) {
                line.warn(outcome);
            } else {
                refusals.run(more -> line.warn(outcome + more));
            }
            // A client without a name chooses no part of the record, so that its calls are counted in few records.
            String refused = operator().name().isPresent() ? call.what() : call.operation();
            audit.write(record(AuditAction.OPERATOR_REFUSED)
                    .withTarget(refused)
                    .withOutcome("refused", Integer.toString(status)));
        }

        /** Logs an outcome that changes nothing, or the failure if there is no outcome; nothing if both are null. */
        public void ended(@Nullable String outcome, @Nullable Throwable failure) {
            ended(outcome, Optional.empty(), failure);
        }

        /**
         * Logs the outcome, or the failure if there is no outcome; nothing if both are null. Records a change, and a failure of a call that
         * changes something.
         */
        public void ended(@Nullable String outcome, Optional<AuditedChange> change, @Nullable Throwable failure) {
            if (outcome != null) {
                line.info(outcome);
                change.ifPresent(made -> call.action().ifPresent(action -> changed(action, made, outcome)));
            } else if (failure != null) {
                String status = status(Exceptions.peel(failure));
                line.info("failed with " + status);
                call.action()
                        .ifPresent(action ->
                                audit.write(record(action).withTarget(target).withOutcome("failed", status)));
            }
        }

        private void changed(AuditAction action, AuditedChange made, String outcome) {
            if (action.isFrequent()) {
                // Its state after the change is an amount, such as of permits: equal records have the sum.
                made.after()
                        .forEach((unit, amount) -> audit.write(
                                amount(record(action).withTarget(made.target()), amount),
                                unit,
                                Long.parseLong(String.valueOf(amount))));
            } else {
                audit.write(made.addTo(record(action)).withOutcome(made.isChanged() ? DONE : NOT_CHANGED, outcome));
            }
        }

        private static AuditRecord amount(AuditRecord record, Object amount) {
            return amount.equals(0L) || amount.equals(0) ? record.withOutcome(NOT_CHANGED, "") : record;
        }

        private AuditRecord record(AuditAction action) {
            return AuditRecord.of(action, VIA)
                    .withOperator(
                            operator().name().orElse(""),
                            known.map(one -> one.role().toString()).orElse(""))
                    .withFrom(address)
                    .withPeer(peer);
        }

        private static String status(Throwable failure) {
            if (failure instanceof ProblemException known) {
                return Integer.toString(known.problem().status());
            } else if (failure instanceof ResponseCompleteException || failure instanceof ClosedStreamException) {
                return "an incomplete body of the request";
            } else if (failure instanceof QueueFullException) {
                return "409";
            } else if (failure instanceof LimiterException || failure instanceof QueueException) {
                return "503";
            }
            return failure instanceof ContentTooLargeException ? "413" : "500";
        }
    }

    /** Starts the entry of a call of somebody whose name is not known. */
    public Entry entry(ServiceRequestContext ctx, Call call) {
        return new Entry(ctx, Optional.empty(), call);
    }

    /** Starts the entry of a call of an operator. */
    Entry entry(ServiceRequestContext ctx, Operator operator, Call call) {
        return new Entry(ctx, Optional.of(operator), call);
    }
}
