package io.headgate.spring.web.reactive;

import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.netty.resources.LoopResources;

/** A Netty with one event loop: a request that blocks it stops all others. */
@Configuration(proxyBeanMethods = false)
class SingleThreadNetty {

    @Bean(destroyMethod = "dispose")
    LoopResources eventLoop() {
        return LoopResources.create("event-loop", 1, true);
    }

    @Bean
    NettyReactiveWebServerFactory server(LoopResources eventLoop) {
        NettyReactiveWebServerFactory server = new NettyReactiveWebServerFactory();
        server.addServerCustomizers(netty -> netty.runOn(eventLoop));
        return server;
    }
}
