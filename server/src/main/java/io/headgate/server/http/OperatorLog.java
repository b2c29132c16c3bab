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

/**
 * Writes who called what as an operator, and what came of it: one line for each call. Never a token, a payload, or what else
 * was said in a body.
 */
public final class OperatorLog {

    private final OnceInAWhile refusals = new OnceInAWhile();

    /** One call. */
    public final class Entry {

        private final OperatorLine line;

        private Entry(OperatorLine line) {
            this.line = line;
        }

        /** Who asked may not; such lines are bounded, since anybody can ask. */
        public void refused(ProblemException why) {
            refusals.run(more -> line.warn("refused with " + why.problem().status() + more));
        }

        /** It came to this, or failed. */
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
        return new Entry(new OperatorLine(address.getAddress().getHostAddress(), what));
    }
}
