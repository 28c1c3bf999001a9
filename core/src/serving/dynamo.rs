//! A manifest for a router with separate pools for prompts and for answers: a `DynamoGraphDeployment` of NVIDIA Dynamo.
//!
//! Its fields are those of ai-dynamo/dynamo `deploy/operator/api/v1beta1` (`dynamographdeployment_types.go` at 0fddc01,
//! `dynamocomponentdeployment_types.go` at 006b6e1, `common.go` at 02911c8); the image, the workers' own flags and the router's variable are
//! those of `examples/backends/vllm/deploy/v1beta1/disagg_router.yaml` at 14a3b0d. A worker over several nodes says how many; its operator
//! gives each pod vLLM's ports and ranks (`deploy/operator/internal/dynamo/backend_vllm.go` at 003d1ee). All other arguments of a worker are vLLM's, as
//! [`command`](super::command) writes them.

use std::fmt::Write as _;

use super::command::{Serve, Server};
use super::sizing::{Params, Plan};
use crate::quantity::counted;

/// The container of a worker, which has vLLM.
const IMAGE: &str = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0";
/// Has caches sent from one pool to the other.
const TRANSFER: &str = r#"{"kv_connector":"NixlConnector","kv_role":"kv_both"}"#;
/// GPUs of a node, and of a pod.
const NODE: u64 = 8;

/// The manifest for a plan's users in two pools.
///
/// # Errors
/// Why there is none, in a sentence.
pub fn manifest(params: &Params, plan: &Plan) -> Result<String, String> {
    let pools = params.pools(plan)?;
    let serve = params.serve(plan, Server::Vllm);
    let gpus = serve.gpus();
    let nodes = gpus.div_ceil(NODE).max(1);
    let group = serve.tp.unwrap_or(1);
    // The operator starts either one tensor-parallel group over all pods, or whole groups in each.
    let whole_groups = group == gpus || group <= NODE && NODE.is_multiple_of(group);
    if nodes > 1 && !(gpus.is_multiple_of(NODE) && whole_groups) {
        return Err(format!(
            "Dynamo gives each worker whole nodes of {NODE} GPUs, and a replica here has {} in groups of {group}. Choose a multiple of {NODE} \
             GPUs per replica, in groups that fit in a node.",
            counted(gpus, "GPU", "GPUs")
        ));
    }
    let mut text = format!("# {}\n", params.pooled(plan, &pools));
    text += "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  name: serving\nspec:\n  backendFramework: vllm\n  \
                    components:\n  - name: Frontend\n    type: frontend\n    replicas: 1\n    podTemplate:\n      spec:\n        containers:\n        \
                    - name: main\n";
    let _ = write!(
        text,
        "          image: {IMAGE}\n          env:\n          - name: DYN_ROUTER_MODE\n            value: kv\n"
    );
    let decode = Serve { max_seqs: Some(pools.batch), ..serve.clone() };
    let prefill = Serve { max_seqs: None, ..serve };
    for (name, replicas, serve) in [("prefill", pools.prefill, prefill), ("decode", pools.decode, decode)] {
        let mut arguments = vec!["--model".to_owned()];
        // Without "vllm serve".
        arguments.extend(shlex::split(&serve.write(Server::Vllm)?.replace("\\\n", " ")).into_iter().flatten().skip(2));
        arguments.extend(["--disaggregation-mode", name, "--kv-transfer-config", TRANSFER].map(str::to_owned));
        let title = if name == "prefill" { "Prefill" } else { "Decode" };
        let multinode = if nodes > 1 { format!("    multinode:\n      nodeCount: {nodes}\n") } else { String::new() };
        let _ = write!(
            text,
            "  - name: {title}\n    type: {name}\n    replicas: {replicas}\n{multinode}    podTemplate:\n      spec:\n        containers:\n        - name: \
             main\n          image: {IMAGE}\n          command: [python3, -m, dynamo.vllm]\n          args:\n"
        );
        for argument in arguments {
            let _ = writeln!(text, "          - '{}'", argument.replace('\'', "''"));
        }
        let _ = write!(
            text,
            "          envFrom:\n          - secretRef:\n              name: hf-token-secret\n              optional: true\n          \
             resources:\n            limits:\n              nvidia.com/gpu: \"{}\"\n",
            gpus / nodes
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Model;
    use crate::launch::schema;
    use crate::launch::yaml::{Node, read};
    use crate::query::Query;
    use crate::serving::sizing::Size;

    fn written(query: &str) -> (Params, Plan, Result<String, String>) {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, [], "{query}");
        let plan = params.evaluate().expect(query);
        let text = manifest(&params, &plan);
        (params, plan, text)
    }

    fn texts(node: &Node, path: &str) -> Vec<String> {
        node.at(path).map(Node::items).unwrap_or_default().iter().filter_map(Node::text).map(str::to_owned).collect()
    }

    #[test]
    fn a_manifest_has_the_fields_of_its_kind_and_the_pools_of_the_plan() {
        for query in [
            "model=llama-3-70b&users=500&token=0.05&quant=fp8&kv-bits=8",
            "model=llama-3-70b&users=500&token=0.05&quant=fp8&kv-bits=8&prompt=16000&output=200",
            "model=llama-3-8b&users=3&token=0.05",
            "model=deepseek-v3&users=2000&token=0.1&tp=1&dp=32&quant=fp8&kv-bits=8&gpu=h200-141",
            "model=deepseek-v3&users=200&token=0.1&tp=16&quant=fp8&kv-bits=8&gpu=h100-80",
        ] {
            let (params, plan, text) = written(query);
            let text = text.expect(query);
            let documents = read(&text).expect("YAML");
            let [document] = documents.as_slice() else { panic!("{text}") };
            assert_eq!(schema::check(document, "DynamoGraphDeployment", ""), None, "{text}");
            let components = document.at("spec.components").map(Node::items).unwrap_or_default();
            let said =
                |i: usize, path: &str| components[i].at(path).and_then(Node::text).unwrap_or_default().to_owned();
            assert_eq!([0, 1, 2].map(|i| said(i, "type")), ["frontend", "prefill", "decode"]);
            let pools = params.pools(&plan).expect("pools");
            // What the pods ask for is what the first line and the page say, beside the plan's own.
            let mut asked = 0;
            assert_eq!(
                (said(1, "replicas"), said(2, "replicas")),
                (pools.prefill.to_string(), pools.decode.to_string())
            );
            for (i, component) in components.iter().enumerate() {
                let containers = component.at("podTemplate.spec.containers").map(Node::items).unwrap_or_default();
                // The operator takes the container of this name, which must have an image.
                assert_eq!(containers[0].at("name").and_then(Node::text), Some("main"), "{text}");
                assert_eq!(containers[0].at("image").and_then(Node::text), Some(IMAGE), "{text}");
                if i > 0 {
                    let limit = containers[0].at("resources.limits").and_then(|l| l.get("nvidia.com/gpu")?.text());
                    let nodes = component
                        .at("multinode.nodeCount")
                        .and_then(Node::text)
                        .map_or(1, |n| n.parse().expect("a number"));
                    let each: u64 = limit.and_then(|limit| limit.parse().ok()).expect("a number");
                    assert_eq!((each <= NODE, each * nodes), (true, plan.size().expect("one").replica()));
                    asked += nodes * each * said(i, "replicas").parse::<u64>().expect("a number");
                    let arguments = texts(&containers[0], "args");
                    assert_eq!(arguments[0], "--model", "{text}");
                    assert!(
                        arguments.contains(&TRANSFER.to_owned()) && !arguments[1].starts_with('-'),
                        "{arguments:?}"
                    );
                }
            }
            assert_eq!(asked, pools.gpus(), "{text}");
            let planned = plan.size().and_then(Size::gpus).expect("a plan");
            let first = text.lines().next().unwrap_or_default();
            assert_eq!(first, format!("# {}", params.pooled(&plan, &pools)));
            assert!(first.contains(&format!(" take {}, ", counted(asked, "GPU", "GPUs"))), "{first}");
            let named = first.ends_with(&format!(" do both take {planned}.")) || asked == planned;
            assert!(named && params.finding(&plan).contains(&format!(" {planned} × ")), "{first}");
        }
    }

    /// Long prompts move GPUs from one pool to the other, and prompts that a cache has take none.
    #[test]
    fn pools_follow_the_load() {
        let pools = |more: &str| {
            let (params, plan, _) =
                written(&format!("model=llama-3-70b&users=500&token=0.05&tp=4&quant=fp8&kv-bits=8{more}"));
            params.pools(&plan).expect("pools")
        };
        let short = pools("&prompt=512&output=512");
        let long = pools("&prompt=8192&output=512");
        let cached = pools("&prompt=8192&cached=8000&output=512");
        assert!(long.prefill > short.prefill, "{long:?} {short:?}");
        assert!(cached.prefill < long.prefill && cached.decode == long.decode, "{cached:?} {long:?}");
        // Every user has a place, and the promise is kept with all places taken.
        for pools in [short, long, cached] {
            assert!(pools.batch * pools.decode >= 500 && pools.token <= 0.05, "{pools:?}");
            assert!(pools.prompts * pools.each <= pools.prefill as f64, "{pools:?}");
        }
    }

    #[test]
    fn gpus_that_are_too_few_for_two_pools_are_said() {
        let (params, plan, text) = written("users=500&have=16");
        let pools = params.pools(&plan).expect("pools");
        assert_eq!(plan.size().and_then(Size::gpus), Some(16));
        let missing = format!(" You have 16, which is {} too few for two pools.", pools.gpus() - 16);
        assert!(text.is_ok_and(|text| text.contains(&missing)), "{missing}");
        // An answer takes as long as in the plan: as many prompts come per second.
        assert!((pools.prompts * params.output as f64 / params.throughput(&plan) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn part_of_a_node_beside_whole_ones_is_refused() {
        let (.., text) = written("model=deepseek-v3&users=2000&token=0.1&tp=1&dp=20&quant=fp8&kv-bits=8&gpu=h200-141");
        assert!(text.is_err_and(|why| why.contains("20 GPUs")));
    }
}
