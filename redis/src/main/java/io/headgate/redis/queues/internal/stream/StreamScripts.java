package io.headgate.redis.queues.internal.stream;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.Map;

/** The scripts of streams, assembled from the sections of the Lua files of streams and of queues. */
final class StreamScripts {

    private static final ScriptFiles FILES =
            ScriptFiles.in("streams", "produce", "claim", "settle", "ack", "done", "group", "state");

    final Script produce;
    final Script claim;
    final Script settle;

    /** Acknowledges entries. */
    final Script ack;

    /** Stores the keys of done entries. */
    final Script done;

    /** Returns for which keys an entry is done. */
    final Script areDone;

    final Script state;

    /** Creates a group before its first claim. */
    final Script declareGroup;

    /** Removes a group. */
    final Script removeGroup;

    StreamScripts(Map<String, String> partsOfQueues) {
        this.produce = FILES.script("produce", partsOfQueues);
        this.claim = FILES.script("claim", partsOfQueues);
        this.settle = FILES.script("settle", partsOfQueues);
        this.ack = FILES.script("ack", "settle", partsOfQueues);
        this.done = FILES.script("store_done_keys", "settle", partsOfQueues);
        this.areDone = FILES.script("are_done", "claim", partsOfQueues);
        this.declareGroup = FILES.script("declare_group", partsOfQueues);
        this.removeGroup = FILES.script("remove_group", partsOfQueues);
        this.state = FILES.script("state", partsOfQueues);
    }
}
