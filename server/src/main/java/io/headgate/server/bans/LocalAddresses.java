package io.headgate.server.bans;

import io.headgate.limits.bans.IpBlock;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/** The addresses from which an operator at a command line may send requests: those of this machine, and that of the SSH client. */
final class LocalAddresses {

    private static final String SSH_CLIENT = "SSH_CLIENT";

    private LocalAddresses() {}

    /** Returns a guard that refuses bans of these addresses. */
    static BanGuard guard() {
        List<BanGuard.Guarded> guarded = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .forEach(address ->
                            guarded.add(new BanGuard.Guarded("an address of this machine,", IpBlock.of(address))));
        } catch (SocketException e) {
            // Without them, only the SSH client is guarded.
        }
        String ssh = System.getenv().getOrDefault(SSH_CLIENT, "");
        IpBlock.find(ssh.split(" ", 2)[0])
                .ifPresent(client -> guarded.add(new BanGuard.Guarded("the address of your SSH client,", client)));
        return new BanGuard(guarded);
    }
}
