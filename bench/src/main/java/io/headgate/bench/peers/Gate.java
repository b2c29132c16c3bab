package io.headgate.bench.peers;

import java.util.concurrent.CompletionStage;

/** A subject that is connected and can be asked. */
public interface Gate extends AutoCloseable {

    /** Asks for one permit, without waiting; answers whether it may pass. */
    CompletionStage<Boolean> ask(String key);

    @Override
    void close();
}
