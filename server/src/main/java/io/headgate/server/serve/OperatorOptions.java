package io.headgate.server.serve;

import io.headgate.limits.bans.IpBlock;
import io.headgate.server.cli.StartException;
import io.headgate.server.http.AuthenticatingProxy;
import io.headgate.server.http.BearerToken;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.text.Quoted;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code serve} that name its operators. */
final class OperatorOptions {

    private static final String OPERATORS = "--operators";
    private static final String BIND = "--operator-bind";
    private static final String PROXY = "--operator-proxy";
    private static final String USER_HEADER = "--operator-user-header";
    private static final String TOKEN = "--operator-token";

    @Option(
            names = OPERATORS,
            paramLabel = "FILE",
            description = {
                "The operators, as YAML: their names, roles (view, operate or admin) and the hashes of their tokens."
                        + " headgate operator token prints such a line. Changes are applied while the server runs.",
                "Without this and --operator-token, operator calls are off. Counts of queues need no token."
            })
    private Optional<Path> operators = Optional.empty();

    @Option(
            names = TOKEN,
            paramLabel = "TOKEN",
            description = {
                "Clients that send this token may make all operator calls: " + BearerToken.EXPECTED + ".",
                "--operator-token-file and the variable HEADGATE_OPERATOR_TOKEN keep it out of the process list."
            })
    private Optional<String> token = Optional.empty();

    @Option(
            names = "--operator-token-file",
            paramLabel = "FILE",
            description = "A file with the token for all operator calls.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = BIND,
            paramLabel = "ADDRESS",
            description =
                    "Serves operator calls, bans and queues only here: HOST:PORT, or unix:/path for a Unix socket that only this user may connect to. By default, they share --bind and --port with the checks.")
    private Optional<String> bind = Optional.empty();

    @Option(
            names = PROXY,
            paramLabel = "ADDRESS",
            description = {
                "The IP address, or network, of a proxy that authenticates operators and sends their names in"
                        + " --operator-user-header. They need no token.",
                "The proxy must remove this field from the requests of its clients. The field of other clients is ignored."
            })
    private Optional<String> proxy = Optional.empty();

    @Option(
            names = USER_HEADER,
            paramLabel = "FIELD",
            description = "With --operator-proxy: the header field whose value is a name in the file of --operators.")
    private Optional<String> userHeader = Optional.empty();

    /**
     * Adds the operators to the settings.
     *
     * @return the address of their listener, if it is not the other one
     * @throws StartException if a file cannot be read or is invalid, or options contradict each other
     */
    Optional<InetSocketAddress> addTo(ServerSettings.Builder settings) {
        Optional<BearerToken> single = TokenOption.find(TOKEN, token, tokenFile, System.getenv());
        if (bind.isPresent() && single.isEmpty() && operators.isEmpty()) {
            throw StartException.wrongInput(BIND + " needs " + OPERATORS + " or " + TOKEN + "-file");
        }
        settings.operatorProxy(authenticatingProxy());
        Optional<InetSocketAddress> listen = bind.map(OperatorOptions::address);
        settings.operatorListen(listen).operatorToken(single).operators(operators.map(OperatorOptions::open));
        return listen;
    }

    private Optional<AuthenticatingProxy> authenticatingProxy() {
        if (proxy.isPresent() != userHeader.isPresent()) {
            throw StartException.wrongInput(
                    proxy.isPresent() ? PROXY + " needs " + USER_HEADER : USER_HEADER + " needs " + PROXY);
        }
        if (proxy.isPresent() && operators.isEmpty()) {
            throw StartException.wrongInput(PROXY + " needs " + OPERATORS);
        }
        return proxy.map(given -> authenticatingProxy(given, userHeader.orElseThrow()));
    }

    private static AuthenticatingProxy authenticatingProxy(String address, String field) {
        IpBlock addresses = IpBlock.find(address)
                .orElseThrow(() -> StartException.wrongInput(PROXY + " must be an IP address or a network such as"
                        + " 10.0.7.0/28, was " + Quoted.of(address)));
        try {
            return new AuthenticatingProxy(addresses, field);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(USER_HEADER + " " + e.getMessage());
        }
    }

    private static InetSocketAddress address(String given) {
        try {
            return OperatorAddress.parse(given);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    private static OperatorsFile open(Path file) {
        try {
            return OperatorsFile.open(file);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(OPERATORS + " " + Quoted.of(file.toString()) + ": " + e.getMessage());
        }
    }
}
