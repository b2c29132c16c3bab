package io.headgate.bench.limits;

/** A limiter in this JVM that can be asked. */
@FunctionalInterface
interface LocalGate {

    /** Asks for one permit; answers whether it may pass. */
    boolean ask(String key);
}
