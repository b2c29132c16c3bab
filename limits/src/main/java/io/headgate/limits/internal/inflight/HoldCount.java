package io.headgate.limits.internal.inflight;

/** Counts holds. A hold in several places counts once. Not safe for use by several threads. */
final class HoldCount {

    private int holds;

    int holds() {
        return holds;
    }

    /** The count of one hold, which counts while it is in any place. */
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
