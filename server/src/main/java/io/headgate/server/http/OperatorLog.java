package io.headgate.server.http;

import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.server.operators.OperatorLine;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Logs each operator call and each refund with its outcome, in one line. Never logs a token, a payload, or another part of a body. */
public final class OperatorLog {

    private final LogThrottle refusals = new LogThrottle();

    /** The line of one call. */
    public final class Entry {

        private final OperatorLine line;

        private Entry(OperatorLine line) {
            this.line = line;
        }

        /** Logs that the call was not authorized. The number of such lines is bounded, because any client can cause them. */
        public void refused(ProblemException why) {
            refusals.run(more -> line.warn("refused with " + why.problem().status() + more));
        }

        /** Logs the outcome, or the failure if there is no outcome; nothing if both are null. */
        public void ended(@Nullable String outcome, @Nullable Throwable failure) {
            if (outcome != null) {
                line.info(outcome);
            } else if (failure != null) {
                line.info("failed with " + status(Exceptions.peel(failure)));
            }
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

    /**
     * Starts the line of a call.
     *
     * @param what the operation and its subject; the caller quotes names that clients choose
     */
    public Entry entry(ServiceRequestContext ctx, String what) {
        InetSocketAddress address = ctx.remoteAddress();
        return new Entry(new OperatorLine(address.getAddress().getHostAddress(), what));
    }
}
