package io.headgate.redis.capacity;

import java.util.function.IntToDoubleFunction;

/**
 * The number of occupied places at a random instant: Erlang's loss formula (A. K. Erlang, 1917). Requests arrive at random, each
 * occupies a place for some time, and a request that finds no free place is lost. Only the mean of that time matters, not its distribution.
 * Immutable.
 *
 * <p>The share of the time with n occupied places is proportional to load^n / n!, up to the number of places. The shares are computed
 * up and down from the most likely n until they are negligible, so a heavy load or many places do not overflow.
 */
final class ErlangLoss {

    /** A share is negligible if its ratio to the largest one is below this. */
    private static final double NEGLIGIBLE = 1e-15;

    /** The share of the time that {@link #most} ignores. */
    private static final double RARE = 1e-6;

    private final int places;
    private final int first;
    private final double[] shares;

    /**
     * Computes the shares.
     *
     * @param load the mean number of occupied places if their number were unlimited: requests per second, times the seconds for which
     *     each request occupies a place
     * @param places 0 or more
     */
    ErlangLoss(double load, int places) {
        this.places = places;
        int mode = (int) Math.min(places, Math.floor(load));
        int lowest = mode;
        double down = 1;
        while (lowest > 0 && down * lowest / load > NEGLIGIBLE) {
            down *= lowest / load;
            lowest--;
        }
        int highest = mode;
        double up = 1;
        while (highest < places && up * load / (highest + 1) > NEGLIGIBLE) {
            highest++;
            up *= load / highest;
        }
        this.first = lowest;
        this.shares = new double[highest - lowest + 1];
        shares[0] = down;
        double sum = down;
        for (int n = lowest + 1; n <= highest; n++) {
            shares[n - lowest] = shares[n - 1 - lowest] * load / n;
            sum += shares[n - lowest];
        }
        for (int i = 0; i < shares.length; i++) {
            shares[i] /= sum;
        }
    }

    /** The share of the time with this number of occupied places. */
    double share(int taken) {
        int i = taken - first;
        return i >= 0 && i < shares.length ? shares[i] : 0;
    }

    /** The share of the requests that find all places occupied. */
    double denied() {
        return share(places);
    }

    /** The mean over time of a function of the number of occupied places. */
    double mean(IntToDoubleFunction ofTaken) {
        double mean = 0;
        for (int i = 0; i < shares.length; i++) {
            mean += shares[i] * ofTaken.applyAsDouble(first + i);
        }
        return mean;
    }

    /** The maximum number of occupied places, except in a millionth of the time. */
    int most() {
        double rest = 0;
        int i = shares.length - 1;
        while (i > 0 && rest + shares[i] < RARE) {
            rest += shares[i];
            i--;
        }
        return first + i;
    }
}
