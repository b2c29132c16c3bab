package io.headgate.bench.faults;

/** A Redis of whatever form, as applications are given it; what can be done to it is its own. */
interface FaultPlace extends AutoCloseable {

    /** Where applications connect. */
    String url();

    @Override
    void close();

    /** Makes a place. */
    @FunctionalInterface
    interface Opening<P extends FaultPlace> {

        /** One that is empty, whose servers are started with these arguments beside their own. */
        P open(String... arguments);
    }
}
