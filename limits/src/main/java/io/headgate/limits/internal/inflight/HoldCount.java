package io.headgate.limits.internal.inflight;

/** How many holds there are, each of them once, though it is in several places. Not safe for use by several threads. */
final class HoldCount {

    private int holds;

    int holds() {
        return holds;
    }

    /** One hold, which counts as long as it is in any place. */
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
