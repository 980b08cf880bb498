import Testing

@testable import MeroKit

/// The table of endpoints against the contract, and the table of calls against both.
@Suite struct AdminRoutesTests {
    private var declared: [String] { AdminEndpoints.all.map(AdminRoutes.route) }

    @Test func everyDocumentedRouteIsDeclaredOnce() {
        let documented = AdminRoutes.nodes.union(AdminRoutes.groups)
        let all = documented.union(AdminRoutes.delegated).union(AdminRoutes.newer)
        #expect(all.subtracting(declared).isEmpty, "missing")
        #expect(Set(declared).subtracting(all).isEmpty, "invented")
        #expect(Set(declared).count == declared.count, "twice")
        #expect(Set(declared).isDisjoint(with: AdminRoutes.notCalled.union(AdminRoutes.gone)))
        // Counted by hand in the contract.
        #expect(AdminRoutes.nodes.count == 54 && AdminRoutes.groups.count == 65)
        #expect(AdminRoutes.delegated.count == 8 && AdminRoutes.newer.count == 2)
    }

    @Test func noPathEndsInASlashAndNoCallOfThisPartIsSentOnce() {
        for endpoint in AdminEndpoints.all {
            #expect(endpoint.template.hasPrefix("/admin-api/") && !endpoint.template.hasSuffix("/"))
        }
        let documented = AdminRoutes.nodes.union(AdminRoutes.groups)
        let once = AdminEndpoints.all.filter(\.sendOnce).map(AdminRoutes.route)
        #expect(documented.isDisjoint(with: once))
    }

    @Test func everyEndpointIsCalled() {
        let called = Set(AdminCall.all.map { $0.method + " " + template(of: $0.path) })
        let documented = AdminRoutes.nodes.union(AdminRoutes.groups)
        #expect(called == documented)
    }

    @Test func everyPublishedMethodIsCalled() {
        // Spec 20, section 3, and spec 30, section 2, without what is sent for somebody else.
        let published = """
            healthCheck readinessCheck isAuthed getNodeIdentity getPeersCount getNetworkStatus getUsage
            installApplication installFromRegistry installDevApplication getRegistryVersions uninstallApplication
            listApplications getApplication listApplicationVersions getApplicationAbi listPackages listPackageVersions
            getLatestPackageVersion createContext deleteContext getContexts getContext getContextsForApplication
            getContextsWithExecutorsForApplication getContextIdentities getContextIdentitiesOwned
            generateContextIdentity joinContext leaveContext getContextGroup getContextStorage syncContext
            resyncContext updateContextApplication syncGroupContexts uploadBlob listBlobs getBlob getBlobInfo
            deleteBlob createContextAlias createApplicationAlias createDeviceAlias lookupContextAlias
            lookupApplicationAlias lookupDeviceAlias deleteContextAlias deleteApplicationAlias deleteDeviceAlias
            listContextAliases listApplicationAliases listDeviceAliases getTeeInfo teeAttest teeRegistrationAttest
            listNamespaces getNamespace listNamespacesForApplication createNamespace deleteNamespace
            createNamespaceInvitation joinNamespace admitJoin leaveNamespace createGroupInNamespace
            listNamespaceGroups changeNamespaceAdmin revokeDevice linkAccountDevice createGroup getGroupInfo
            getDefaultCapabilities getSubgroupVisibility deleteGroup listGroupMembers listMemberDevices
            listGroupMemberDevices listGroupContexts addGroupMembers removeGroupMembers updateMemberRole
            setMemberAutoFollow leaveGroup listSubgroups reparentGroup detachContextFromGroup createGroupInvitation
            joinGroup joinSubgroupInheritance syncGroup getMemberCapabilities setMemberCapabilities
            setDefaultCapabilities setSubgroupVisibility setTeeAdmissionPolicy getTeeAdmissionPolicy
            setTeeAuthoringPolicy disableTeeAuthoringPolicy setGroupMetadata getGroupMetadata setMemberMetadata
            getMemberMetadata setContextMetadata getContextMetadata openToDelegatedExecution grantAuthorship
            transferOwnership ownerDeleteGroup issueOwnershipProof issueNamespaceOwnershipProof upgradeGroup
            getGroupUpgradeStatus retryGroupUpgrade getMigrationStatus getCascadeStatus abortMigration
            listAccountDevices listAccountApplications accountPairInit accountPairComplete relinkDevice rescopeDevice
            labelDevice signWithAccountRoot sealToAccount
            """
        // These make several requests, or ask somebody else; they have tests of their own.
        let elsewhere: Set = [
            "getRegistryVersions", "syncGroupContexts", "openToDelegatedExecution", "grantAuthorship",
        ]
        let names = Set(published.split { $0.isWhitespace }.map(String.init))
        #expect(Set(AdminCall.all.map(\.methodName)) == names.subtracting(elsewhere))
        #expect(Set(AdminCall.all.map(\.name)).count == AdminCall.all.count)
    }

    /// Words in the place of ids would be taken for other routes, so all of them have to be known.
    @Test func everyWordThatCouldBeTakenForAnIdIsKnown() {
        let routes = AdminEndpoints.all.map { AdminRoutes.route($0).split(separator: "/").map(String.init) }
        var words: Set<String> = []
        for route in routes {
            for other in routes where other.count == route.count && other[0] == route[0] && other != route {
                let couldBeOne = zip(route, other).allSatisfy { $0 == $1 || $0 == "{}" || $1 == "{}" }
                guard couldBeOne else { continue }
                for (index, word) in other.enumerated() where route[index] == "{}" && word != "{}" {
                    words.insert(route[1..<index].joined(separator: "/") + "/" + word)
                }
            }
        }
        let known = Set(PathTemplate.words.flatMap { area, words in words.map { "admin-api/\(area)/\($0)" } })
        // Where two routes differ in two places, refusing the word of the first is enough.
        let first = words.filter { $0.split(separator: "/").count == 3 }
        #expect(!first.isEmpty && first.isSubset(of: known))
        #expect(words.subtracting(first).allSatisfy { word in known.contains { word.hasPrefix($0) } }, "\(words)")
        let prefixes = Set(routes.filter { $0.count > 3 }.map { $0[1...].prefix(3).joined(separator: "/") })
        #expect(known.isSubset(of: prefixes))
    }

    private func template(of path: String) -> String {
        path.split(separator: "/").map { $0.first == "$" ? "{}" : String($0) }.reduce("") { $0 + "/" + $1 }
    }
}
