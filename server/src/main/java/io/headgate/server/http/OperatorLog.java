package io.headgate.server.queues.http;

import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.server.http.OnceInAWhile;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes who called what as an operator, and what came of it: one line for each call. Never a token, a payload, or what else
 * was said in a body.
 */
final class OperatorLog {

    private static final Logger log = LoggerFactory.getLogger("io.headgate.operators");

    private final OnceInAWhile refusals = new OnceInAWhile();

    /** One call. */
    final class Entry {

        private final String what;

        private Entry(String what) {
            this.what = what;
        }

        /** Who asked may not; such lines are bounded, since anybody can ask. */
        void refused(ProblemException why) {
            refusals.run(more ->
                    log.warn("{}: refused with {}{}", what, why.problem().status(), more));
        }

        void ended(QueueCall.@Nullable Done done, @Nullable Throwable failure) {
            if (done != null) {
                log.info("{}: {}", what, done.outcome());
            } else if (failure != null) {
                log.info("{}: failed with {}", what, status(Exceptions.peel(failure)));
            }
        }

        private static String status(Throwable failure) {
            return failure instanceof ProblemException known
                    ? Integer.toString(known.problem().status())
                    : failure.getClass().getSimpleName();
        }
    }

    /** Begins the line of a call. */
    Entry entry(ServiceRequestContext ctx, String operation) {
        InetSocketAddress address = ctx.remoteAddress();
        @Nullable String job = ctx.pathParam("id");
        return new Entry("operator " + address.getAddress().getHostAddress() + " " + operation + " "
                + Quoted.of(QueueRequest.name(ctx)) + (job == null ? "" : " job " + Quoted.of(job)));
    }
}
