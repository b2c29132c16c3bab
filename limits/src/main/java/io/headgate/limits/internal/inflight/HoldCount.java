package io.headgate.limits.internal.inflight;

/** Counts holds. A hold in several {@linkplain HoldStore places} counts once. Not safe for use by several threads. */
final class HoldCount {

    private int holds;

    int holds() {
        return holds;
    }

    /** One hold, which counts while it is in at least one place. */
    final class One {

        private int places;

        void put() {
            if (places++ == 0) {
                holds++;
            }
        }

        void removed() {
            if (--places == 0) {
                holds--;
            }
        }
    }
}
