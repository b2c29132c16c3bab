package io.headgate.spring.outgoing;

import java.util.Optional;

/**
 * What one call of a reactive client holds, from the grant until the end of the response's body. The call may end before its permits are
 * granted, for example because a subscriber cancels: then they are released as soon as they are granted. Safe for use by several threads.
 */
final class CallPermits {

    private Optional<CallGrant> granted = Optional.empty();
    private boolean reading;
    private boolean ended;

    /** Notes a grant. */
    void granted(CallGrant grant) {
        synchronized (this) {
            if (!ended) {
                granted = Optional.of(grant);
                return;
            }
        }
        grant.release();
    }

    /** Notes that the response's body is being read. */
    synchronized void reading() {
        reading = true;
    }

    /** Ends the call, unless the response's body is being read: then its end counts. */
    void cancel() {
        synchronized (this) {
            if (reading) {
                return;
            }
        }
        end();
    }

    /** Ends the call, and releases what it holds. */
    void end() {
        Optional<CallGrant> held;
        synchronized (this) {
            ended = true;
            held = granted;
            granted = Optional.empty();
        }
        held.ifPresent(CallGrant::release);
    }
}
