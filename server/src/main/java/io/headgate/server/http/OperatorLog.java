package io.headgate.server.http;

import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes who called what as an operator, and what came of it: one line for each call. Never a token, a payload, or what else
 * was said in a body.
 */
public final class OperatorLog {

    private static final Logger log = LoggerFactory.getLogger("io.headgate.operators");

    private final OnceInAWhile refusals = new OnceInAWhile();

    /** One call. */
    public final class Entry {

        private final String what;

        private Entry(String what) {
            this.what = what;
        }

        /** Who asked may not; such lines are bounded, since anybody can ask. */
        public void refused(ProblemException why) {
            refusals.run(more ->
                    log.warn("{}: refused with {}{}", what, why.problem().status(), more));
        }

        /** It came to this, or failed. */
        public void ended(@Nullable String outcome, @Nullable Throwable failure) {
            if (outcome != null) {
                log.info("{}: {}", what, outcome);
            } else if (failure != null) {
                log.info("{}: failed with {}", what, status(Exceptions.peel(failure)));
            }
        }

        private static String status(Throwable failure) {
            if (failure instanceof ProblemException known) {
                return Integer.toString(known.problem().status());
            } else if (failure instanceof ResponseCompleteException || failure instanceof ClosedStreamException) {
                return "no whole body of the request";
            } else if (failure instanceof QueueFullException) {
                return "409";
            } else if (failure instanceof LimiterException || failure instanceof QueueException) {
                return "503";
            }
            return failure instanceof ContentTooLargeException ? "413" : "500";
        }
    }

    /**
     * Begins the line of a call.
     *
     * @param what what is done, and of what; as it may be written
     */
    public Entry entry(ServiceRequestContext ctx, String what) {
        InetSocketAddress address = ctx.remoteAddress();
        return new Entry("operator " + address.getAddress().getHostAddress() + " " + what);
    }
}
