package io.headgate.redis.capacity;

import java.util.function.IntToDoubleFunction;

/**
 * How many of a number of places are taken at a random instant, where requests come at random, each takes one place for some time, and
 * those that find all taken go away: Erlang's loss formula (A. K. Erlang, 1917). It holds for any distribution of that time, as only its
 * mean counts. Immutable.
 *
 * <p>The share of the time for which n are taken is proportional to load^n / n!, up to the number of places. That is computed from
 * the most likely n on, up and down until nothing counts any more, so neither many places nor a heavy load overflow.
 */
final class ErlangLoss {

    /** So little of the most likely that it does not count. */
    private static final double NOTHING = 1e-15;

    /** What is as rare may come in a day, but not soon. */
    private static final double RARE = 1e-6;

    private final int places;
    private final int first;
    private final double[] shares;

    /**
     * The shares.
     *
     * @param load how many places would be taken on average if there were enough: requests a second, times the seconds that each holds
     *     one
     * @param places 0 to 100 000
     */
    ErlangLoss(double load, int places) {
        this.places = places;
        int mode = (int) Math.min(places, Math.floor(load));
        int lowest = mode;
        double down = 1;
        while (lowest > 0 && down * lowest / load > NOTHING) {
            down *= lowest / load;
            lowest--;
        }
        int highest = mode;
        double up = 1;
        while (highest < places && up * load / (highest + 1) > NOTHING) {
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

    /** The share of the time for which so many are taken. */
    double share(int taken) {
        int i = taken - first;
        return i >= 0 && i < shares.length ? shares[i] : 0;
    }

    /** The share of the requests that are denied: those that come while all places are taken. */
    double denied() {
        return share(places);
    }

    /** The mean of a figure over all times. */
    double mean(IntToDoubleFunction ofTaken) {
        double mean = 0;
        for (int i = 0; i < shares.length; i++) {
            mean += shares[i] * ofTaken.applyAsDouble(first + i);
        }
        return mean;
    }

    /** As many as are taken now and then, if seldom. */
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
